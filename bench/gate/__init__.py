"""The gate: figures of the golden library and of labelled pages against committed baselines."""
