"""What all tests share: laws are checked without a clock, and only loopback may be reached."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "steady",
    deadline=None,  # the machine may be busy; no test depends on time
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")
