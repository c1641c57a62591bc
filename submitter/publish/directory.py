"""A folder of sitemaps on a disk, and one edition of what stands in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from submitter.core.shards import Family, Known, split_name
from submitter.publish.disk import Disk, Stamp, troubles
from submitter.publish.draft import Draft
from submitter.publish.newest import newest_in
from submitter.publish.pile import Pile
from submitter.publish.staging import Check, Staging, half_made


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
        self._disk = staging.disk
        self._listing: Listing | None = None

    def draft(self, family: Family, known: Mapping[int, Known] | None = None) -> Draft:
        if self._listing is None:
            with troubles(self._disk.folder):
                self._listing = Listing(self._disk.names())
        self._staging.sweep(self._listing.half_made[family.prefix])
        names = self._listing.names[family.prefix]
        draft = Draft(self._staging, family, names, known)
        return self._until_the_end.enter_context(closing(draft))

    def pile(self) -> Pile:
        return self._until_the_end.enter_context(closing(Pile(self._disk)))

    def read(self, name: str) -> bytes | None:
        with troubles(self._disk.folder / name):
            try:
                file = self._disk.read(name)
            except FileNotFoundError:
                return None
            with file:
                return file.read()

    def put(self, name: str, pieces: Iterable[bytes], check: Check) -> bool:
        return self._staging.stage(name, pieces, check)

    def retire(self, name: str) -> None:
        self._staging.retire(name)

    def leaving(self) -> list[str]:
        return self._staging.leaving()

    def newest(self, name: str) -> str:
        with troubles(self._disk.folder / name), self._disk.read(name) as file:
            return newest_in(file)

    def stamps(self, names: Iterable[str]) -> dict[str, Stamp]:
        found = {name: self._staging.stamp(name) for name in names}
        return {name: stamp for name, stamp in found.items() if stamp is not None}

    def publish(self) -> None:
        self._staging.publish()


class Listing:
    """The names in a folder by the prefix of their family, read once for all families."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names: defaultdict[str, list[str]] = defaultdict(list)
        self.half_made: defaultdict[str, list[str]] = defaultdict(list)
        for name in names:
            prefix, _ = split_name(name)
            if prefix:
                self.names[prefix].append(name)
            elif meant := half_made(name):
                self.half_made[split_name(meant)[0]].append(meant)
