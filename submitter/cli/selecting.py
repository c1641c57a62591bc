"""Moved to `core.choosing`."""

from submitter.core.choosing import NoMatch, explain_no_match, select

__all__ = ["NoMatch", "explain_no_match", "select"]
