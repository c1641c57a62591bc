"""Asking engines what became of what they were told."""
