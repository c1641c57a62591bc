"""Values and rules. No I/O, no clock, no logging: time and randomness are arguments."""
