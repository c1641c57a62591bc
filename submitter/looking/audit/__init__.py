"""An audit's I/O: documents watched while they are walked, pages visited politely."""
