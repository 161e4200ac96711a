"""The Python interface: ``Store``, a part of it in each module, and how a store is opened."""
