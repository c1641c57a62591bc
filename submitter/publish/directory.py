"""A folder of sitemaps on a disk, and one edition of what stands in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from submitter.core.shards import Family
from submitter.publish.disk import Disk
from submitter.publish.draft import Draft
from submitter.publish.staging import Staging


class SitemapDirectory:
    """Implements `ports.SitemapFolder` for a folder that a web server shows."""

    def __init__(self, folder: Path, disk: Disk | None = None) -> None:
        self._disk = disk or Disk(folder)

    @contextmanager
    def edition(self) -> Iterator[Edition]:
        staging = Staging(self._disk)
        with self._disk.lock(), ExitStack() as until_the_end:
            until_the_end.callback(staging.abandon)
            yield Edition(staging, until_the_end)


class Edition:
    """Implements `ports.Edition`."""

    def __init__(self, staging: Staging, until_the_end: ExitStack) -> None:
        self._staging, self._until_the_end = staging, until_the_end

    def draft(self, family: Family) -> Draft:
        self._staging.sweep(lambda name: family.number(name) is not None)
        return self._until_the_end.enter_context(closing(Draft(self._staging, family)))

    def publish(self) -> None:
        self._staging.publish()
