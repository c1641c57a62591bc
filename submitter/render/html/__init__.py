"""The dashboard: one self-contained page from a report, and single pages of the live one."""
