"""One file on its way to the disk, and the proof that it holds what was meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from submitter.core.readback import Lines, read_back
from submitter.core.rooms import Fill
from submitter.core.shards import Family
from submitter.core.sitemap_xml import DECLARATION, END
from submitter.errors import PublishError
from submitter.publish.newest import Newest


class ShardWriting:
    """`pieces` goes to the disk once; then `check` compares what came back.

    `blocks` are the entries, some whole lines at a time.
    """

    def __init__(self, family: Family, number: int, blocks: Iterable[bytes]) -> None:
        self._family, self._blocks = family, blocks
        self.name = family.name(number)
        self.fill = Fill(number, 0, family.frame_bytes)
        self.newest = Newest()
        self._meant = Lines()

    def pieces(self) -> Iterator[bytes]:
        yield DECLARATION
        yield self._family.root
        for block in self._blocks:
            self.fill.pages += block.count(b"\n")
            self.fill.bytes += len(block)
            self._meant.add(block)
            self.newest.add(block)
            yield block
        yield END

    def check(self, chunks: Iterator[bytes]) -> None:
        """PublishError unless every text is as meant, in its order, and the limits hold."""
        fill, profile = self.fill, self._family.profile
        if read_back(chunks, self.name) != self._meant.sum():
            raise PublishError(self.name, "reads back differently from what was written")
        if fill.pages > profile.max_pages or fill.bytes > profile.max_bytes:
            raise PublishError(self.name, f"{fill} is over the limits of {profile.name}")
