"""Submitter tells search engines about a fleet of sites and remembers what they answered."""

__version__ = "0.1.0"
