"""One folder, and the calls to the system between which a crash may fall."""

from __future__ import annotations

import contextlib
import fcntl
import gzip
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple, cast

from submitter.errors import PublishError

BUFFER_BYTES = 1024 * 1024
MEMORY_BYTES = 8 * 1024 * 1024
"""What is set aside waits in memory up to this size, then in a nameless file of the folder."""


class Stamp(NamedTuple):
    """What a file looks like without reading it."""

    size: int
    changed_ns: int


class _Packed(gzip.GzipFile):
    """Says neither name nor time, so that equal content makes equal bytes."""

    def __init__(self, plain: BinaryIO) -> None:
        super().__init__("", "wb", compresslevel=6, fileobj=plain, mtime=0)
        self._plain = plain

    def finish(self) -> None:
        """Write the trailer; nothing can be added afterwards."""
        super().close()

    def flush(self, zlib_mode: int = 0) -> None:
        self._plain.flush()

    def fileno(self) -> int:
        return self._plain.fileno()

    def close(self) -> None:
        super().close()
        self._plain.close()


def is_packed(name: str) -> bool:
    """Also of a file that is being made ready."""
    return name.removesuffix(".new").endswith(".gz")


class Disk:
    """Knows no sitemap. Lets OSError through; callers turn it into PublishError by `troubles`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Make the folder if need be and keep other runs out. PublishError when one is there.

        The lock is the folder's own: it leaves no file behind and dies with the process. Folders
        that were made and hold nothing in the end are taken away again.
        """
        with contextlib.ExitStack() as until_the_end:
            made = self._open_and_take(until_the_end)
            until_the_end.callback(_remove_empty, made)  # before the lock is given up
            yield

    def _open_and_take(self, until_the_end: contextlib.ExitStack) -> list[Path]:
        """The folders that had to be made, inner ones first. What another run takes away, before
        this one has the lock, is made anew."""
        while True:
            with troubles(self.folder):
                made = [one for one in (self.folder, *self.folder.parents) if not one.exists()]
                self.folder.mkdir(parents=True, exist_ok=True)
                handle = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
            until_the_end.callback(os.close, handle)
            self._take(handle)
            if self._is_there(handle):
                return made

    def _is_there(self, handle: int) -> bool:
        """Whether the open folder is still the one that is found at its path."""
        try:
            return os.path.samestat(os.fstat(handle), self.folder.stat())
        except FileNotFoundError:
            return False

    def _take(self, handle: int) -> None:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise PublishError(str(self.folder), "another run is writing here") from error

    def names(self) -> list[str]:
        return os.listdir(self.folder)

    def size(self, name: str) -> int:
        """Before packing."""
        if not is_packed(name):
            return self.stamp(name).size
        with open(self.folder / name, "rb") as file:
            file.seek(-4, os.SEEK_END)
            return int.from_bytes(file.read(4), "little")

    def stamp(self, name: str) -> Stamp:
        """As it lies on the disk."""
        found = (self.folder / name).stat()
        return Stamp(found.st_size, found.st_mtime_ns)

    def read(self, name: str) -> BinaryIO:
        """What it holds, unpacked."""
        if is_packed(name):
            return cast(BinaryIO, gzip.open(self.folder / name, "rb"))
        return open(self.folder / name, "rb", buffering=BUFFER_BYTES)

    def create(self, name: str, *, like: str) -> BinaryIO:
        """A new file that others may read as they may read the file it will replace."""
        handle = os.open(self.folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with contextlib.suppress(FileNotFoundError):
            os.fchmod(handle, (self.folder / like).stat().st_mode & 0o777)
        plain = open(handle, "wb", buffering=BUFFER_BYTES)  # noqa: SIM115 - closed by the caller
        return cast(BinaryIO, _Packed(plain) if is_packed(name) else plain)

    def sync(self, file: BinaryIO) -> None:
        packed: object = file
        if isinstance(packed, _Packed):
            packed.finish()
        file.flush()
        os.fsync(file.fileno())

    def rename(self, name: str, new_name: str) -> None:
        os.replace(self.folder / name, self.folder / new_name)

    def remove(self, name: str) -> None:
        (self.folder / name).unlink(missing_ok=True)

    def sync_folder(self) -> None:
        handle = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def scratch(self) -> IO[bytes]:
        return tempfile.SpooledTemporaryFile(MEMORY_BYTES, dir=str(self.folder))


def _remove_empty(folders: Sequence[Path]) -> None:
    """One that holds something stays, and so do those after it: its parents."""
    with contextlib.suppress(OSError):
        for folder in folders:
            folder.rmdir()


@contextlib.contextmanager
def troubles(path: Path | str) -> Iterator[None]:
    """Turn the system's errors into ours, with the file they are about."""
    try:
        yield
    except OSError as error:
        raise PublishError(str(path), error.strerror or type(error).__name__) from error
