"""The live dashboard: a small server for people, which only reads the ledger."""

from submitter.dashboard.server import DashboardServer

__all__ = ["DashboardServer"]
