"""Where documents come from: the guarded client, and files that the operator named."""
