"""One file a step: `NNNN_what.py`, revision `NNNN`. A released file is never edited."""
