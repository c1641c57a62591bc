"""Sending a plan: lanes, attempts, allowances."""
