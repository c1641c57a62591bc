"""One module for each command; its `command` is what click calls."""
