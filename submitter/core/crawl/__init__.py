"""What crawlers did, from lines of access logs: formats, bots, verdicts and tallies. Pure."""
