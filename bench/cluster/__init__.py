"""The store on a Citus cluster beside the store on one server: the same documents, the same questions."""
