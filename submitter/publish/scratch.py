"""The lines of a list, set aside until it is known which file they go to."""

from __future__ import annotations

from submitter.publish.disk import Disk, troubles


class Scratch:
    """Bytes put one after the other and read back by place. Gone when closed."""

    def __init__(self, disk: Disk) -> None:
        self._folder = disk.folder
        with troubles(self._folder):
            self._file = disk.scratch()

    def append(self, lines: bytes) -> None:
        with troubles(self._folder):
            self._file.seek(0, 2)
            self._file.write(lines)

    def read(self, start: int, stop: int) -> bytes:
        with troubles(self._folder):
            self._file.seek(start)
            return self._file.read(stop - start)

    def close(self) -> None:
        self._file.close()
