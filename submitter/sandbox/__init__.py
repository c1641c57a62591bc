"""Local engines and a sample fleet: for the demo, for tests, for trying things.

The product does not know it: an account's `endpoint` and a site's `connect_to` point here.
"""

from submitter.sandbox.book import Book, Entry
from submitter.sandbox.clock import SandboxClock
from submitter.sandbox.faults import Fault, FaultKind
from submitter.sandbox.fleet_documents import Break
from submitter.sandbox.fleet_pages import Form, Section
from submitter.sandbox.google_accounts import GoogleAccount, Role
from submitter.sandbox.sandbox import Sandbox
from submitter.sandbox.windows import Window

__all__ = [
    "Book",
    "Break",
    "Entry",
    "Fault",
    "FaultKind",
    "Form",
    "GoogleAccount",
    "Role",
    "Sandbox",
    "SandboxClock",
    "Section",
    "Window",
]
