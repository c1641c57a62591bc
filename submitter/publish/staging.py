"""Files made ready beside the old ones, and the moment in which they take their places."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator

from submitter.publish.disk import BUFFER_BYTES, Disk, Stamp, troubles

Check = Callable[[Iterator[bytes]], None]
"""Reads the bytes of a file and raises when they are not what was meant."""


class Staging:
    """Nothing that stands in the folder changes before `publish`."""

    def __init__(self, disk: Disk) -> None:
        self.disk = disk
        self._ready: list[str] = []
        self._leaving: list[str] = []

    def sweep(self, names: Iterable[str]) -> None:
        """Remove what a crash left half made of these."""
        with troubles(self.disk.folder):
            for name in names:
                self.disk.remove(_hidden(name))

    def stage(self, name: str, pieces: Iterable[bytes], check: Check) -> bool:
        """Write a file beside the old one and read it back. If not one byte differs, the old one
        stays as it is; True: it does not."""
        self._ready.append(name)
        with troubles(self.disk.folder / name):
            self.disk.remove(_hidden(name))
            with self.disk.create(_hidden(name), like=name) as file:
                file.writelines(pieces)
                self.disk.sync(file)
            check(self._chunks(_hidden(name)))
            if self._differs(name):
                return True
            self.disk.remove(_hidden(name))
            self._ready.remove(name)
            return False

    def stamp(self, name: str) -> Stamp | None:
        """Of the file as it will stand; None when there is none."""
        try:
            return self.disk.stamp(_hidden(name) if name in self._ready else name)
        except OSError:
            return None

    def retire(self, name: str) -> None:
        """Remove the file once the new set is in place."""
        self._leaving.append(name)

    def leaving(self) -> list[str]:
        return sorted(set(self._leaving))

    def publish(self) -> None:
        """First the new set, file by file in the order staged, then the clean-up."""
        with troubles(self.disk.folder):
            while self._ready:
                self.disk.rename(_hidden(self._ready[0]), self._ready[0])
                del self._ready[0]
            self.disk.sync_folder()
            for name in self._leaving:
                self.disk.remove(name)
            self.disk.sync_folder()
        self._leaving.clear()

    def abandon(self) -> None:
        """Take away what was made ready but not published."""
        for name in self._ready:
            with contextlib.suppress(OSError):
                self.disk.remove(_hidden(name))

    def _differs(self, name: str) -> bool:
        try:
            if self.disk.size(name) != self.disk.size(_hidden(name)):
                return True
        except FileNotFoundError:
            return True
        pairs = zip(self._chunks(name), self._chunks(_hidden(name)), strict=True)
        return any(old != new for old, new in pairs)

    def _chunks(self, name: str) -> Iterator[bytes]:
        with self.disk.read(name) as file:
            while chunk := file.read(BUFFER_BYTES):
                yield chunk


def half_made(name: str) -> str:
    """The name of the file that this one was to become; empty for any other one."""
    return name[1:-4] if name == _hidden(name[1:-4]) else ""


def _hidden(name: str) -> str:
    """A name that no web server or pattern takes for a published file."""
    return f".{name}.new"
