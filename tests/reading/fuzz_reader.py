"""Mutates generated sitemaps and lists and checks what must hold for any bytes.

In the suite: a fixed number of cases. By hand, or from `scripts/check --long`:
`python tests/reading/fuzz_reader.py --seconds 60 --seed 7`.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from itertools import count

from document_maker import Made, make_document
from reading_support import Outcome, outcome

from submitter.core.notes import READING_IDS
from submitter.core.sitemap import ReadLimits

DICTIONARY = [
    *(b"<", b">", b"&", b"/", b'"', b"'", b"]]>", b"<![CDATA[", b"<!--", b"-->", b"<?", b"?>"),
    *(b"&amp;", b"&lt;", b"&eacute;", b"&#0;", b"&#xD800;", b"&#38;", b"&#x110000;", b"&a.b;"),
    *(b"<loc>", b"</loc>", b"<url>", b"</url>", b"</urlset>", b"<lastmod>", b"<image:loc>", b"/>"),
    *(b"<!DOCTYPE urlset>", b"<!DOCTYPE u [<!ENTITY a 'b'>]>", b' xmlns=""', b' xmlns:image=""'),
    *(
        b"\0",
        b"\r",
        b"\x1f",
        b"\x7f",
        b"\xff",
        b"\xc3",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\xe2\x80\xae",
    ),
    *(b"\xef\xbf\xbe", b"\xef\xbf\xbd", b"\xef\xb7\x90", b"https://", b"%zz", b"#", b"\\", b"@"),
    *(b" rel='x'", b' rel="x" rel="y"', b" x:y='z'", b"<x:y>", b"\n" * 50, b" " * 5000),
]
READINGS = [
    ReadLimits(block=131_072, skim=True),
    ReadLimits(block=131_072, skim=False),
    ReadLimits(block=97, skim=True),
    ReadLimits(block=97, skim=False),
]
MENDED = {"bare-ampersand", "undeclared-entity", "undecodable-bytes"}


def check_one(seed: int) -> str:
    """Make, damage and read the document of this seed; how it ended. AssertionError = a fault."""
    source = random.Random(seed)  # noqa: S311 # choices, not secrets
    document = _document(source)
    data = _mutated(document.data, source) if seed % 8 else document.data
    results = [outcome([data], charset=document.charset, limits=limits) for limits in READINGS]
    results.append(outcome(_pieces(data, source), charset=document.charset))
    seen = [facts(result) for result in results]
    assert all(fact == seen[0] for fact in seen), f"seed {seed}: the ways of reading differ"
    assert results[-1] == results[0], f"seed {seed}: how the bytes arrive matters"
    return _judge(results[0], seed)


def _document(source: random.Random) -> Made:
    size = source.randint(1, 30)
    if source.random() < 0.15:
        lines = [f"https://h.example/{n}" for n in range(size)]
        return Made("\r\n".join(lines).encode(), tuple(lines), None)
    return make_document(source.choice, size, padded=source.random() < 0.5)


def _mutated(data: bytes, source: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(source.choice((1, 1, 1, 2, 3, 8))):
        at = source.randrange(len(changed) + 1)
        match source.randrange(6):
            case 0:
                changed[at:at] = source.choice(DICTIONARY)
            case 1:
                changed[at : at + source.randint(1, 30)] = source.choice(DICTIONARY)
            case 2:
                del changed[at : at + source.randint(1, 200)]
            case 3:
                changed[at:at] = changed[at : at + source.randint(1, 400)]
            case 4 if changed:
                changed[at % len(changed)] ^= 1 << source.randrange(8)
            case _:
                del changed[max(at, len(changed) - 300) :]
    return bytes(changed)


def _pieces(data: bytes, source: random.Random) -> list[bytes]:
    cuts = sorted(source.randrange(len(data) + 1) for _ in range(source.randint(0, 40)))
    return [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]


def facts(result: Outcome | tuple[str, str]) -> object:
    """What must not depend on blocks: all but the bytes near mended text, and what was mended
    between a fault and the end of its block."""
    if isinstance(result, tuple):
        return result[0]
    reading = result.reading
    ids = [
        (finding.id, finding.count, finding.where)
        for finding in reading.findings
        if reading.complete or finding.id not in MENDED
    ]
    return result.entries, reading.complete, reading.content, reading.skipped, ids


def _judge(result: Outcome | tuple[str, str], seed: int) -> str:
    if isinstance(result, tuple):
        assert result[0] in READING_IDS, f"seed {seed}: {result[0]} is no id"
        return result[0]
    reading = result.reading
    assert reading.entries == len(result.entries), f"seed {seed}: the sums do not add up"
    unknown = {finding.id for finding in reading.findings} | set(reading.skipped)
    assert unknown <= set(READING_IDS), f"seed {seed}: an id is not in the table"
    for entry in result.entries:
        assert entry.loc == entry.loc.strip(), f"seed {seed}"
        assert entry.identity.isascii(), f"seed {seed}"
    return "complete" if reading.complete else "incomplete"


def run(seeds: Callable[[], bool], first: int) -> Counter[str]:
    """Check seeds from the first on while asked to go on."""
    ends: Counter[str] = Counter()
    for seed in count(first):
        if not seeds():
            return ends
        ends[check_one(seed)] += 1
    return ends


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    end = time.monotonic() + arguments.seconds
    ends = run(lambda: time.monotonic() < end, arguments.seed)
    print(f"{sum(ends.values())} cases, no fault: {dict(ends.most_common())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
