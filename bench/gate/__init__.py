"""The gate of the PDF reader: figures of the developed half of the labelled pages against a committed baseline."""
