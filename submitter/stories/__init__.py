"""Whole stories that a face tells: a run, a preview, a withdrawal, a check-up."""
