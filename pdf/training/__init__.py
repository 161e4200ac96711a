"""Weights of the reader's decisions, learnt from files that state their structure."""
