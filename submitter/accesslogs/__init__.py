"""Access logs as they lie on this machine, names of addresses, and published addresses."""
