"""Many workers on one PostgreSQL ledger; the queue, its locks and schedules are procrastinate's."""
