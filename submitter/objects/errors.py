"""What can go wrong with an object in a bucket."""

from __future__ import annotations

from submitter.errors import SubmitterError


class ObjectError(SubmitterError):
    """The store did not do what it was asked; the object may be as it was, or replaced."""

    def __init__(self, address: str, problem: str) -> None:
        self.address, self.problem = address, problem
        super().__init__(f"{address}: {problem}")


class Missing(ObjectError):
    """There is no such object."""


class Overtaken(ObjectError):
    """Somebody else replaced the object after we had read it; it is as they left it."""


class Busy(ObjectError):
    """The store wants us to ask again in a moment."""
