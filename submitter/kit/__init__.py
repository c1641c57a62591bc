"""Mechanisms that everybody above shares: clock, waiting, permits, progress, redaction."""
