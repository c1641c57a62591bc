"""A log filter that lets no secret through. Installed on handlers, by whoever sets up logging."""

from __future__ import annotations

import logging
import traceback

from submitter.core.redaction import Redactor

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}


class RedactingFilter(logging.Filter):
    """Redacts the message, the traceback and every `extra` of a record, whatever logged it.

    Belongs on handlers: a logger's filter does not see what its children hand up. The traceback
    becomes text here, so a formatter finds `exc_text` and no `exc_info`.
    """

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self._redactor.redact(record.getMessage()), None
        if record.exc_info and record.exc_info[0] is not None and not record.exc_text:
            record.exc_text = "".join(traceback.format_exception(*record.exc_info)).rstrip()
        record.exc_info = None
        if record.exc_text:
            record.exc_text = self._redactor.redact(record.exc_text)
        if record.stack_info:
            record.stack_info = self._redactor.redact(record.stack_info)
        for name in vars(record).keys() - _STANDARD:
            setattr(record, name, self._clean(getattr(record, name)))
        return True

    def _clean(self, value: object) -> object:
        match value:
            case None | bool() | int() | float():
                return value
            case dict():
                return {self._clean(key): self._clean(item) for key, item in value.items()}
            case list() | tuple() | set() | frozenset():
                return [self._clean(item) for item in value]
            case _:
                return self._redactor.redact(str(value))
