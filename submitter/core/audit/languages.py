"""Languages as `hreflang` names them, and whether the sets that sitemaps write are returned.

Source: https://developers.google.com/search/docs/specialty/international/localized-versions,
read 2026-11-30: every page of a set names every other one and itself, or the links are ignored.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from submitter.core.audit.duplicates import BUCKETS, Listings
from submitter.core.audit.rules import found
from submitter.core.audit.sampling import page_key
from submitter.core.findings import MAX_EXAMPLES, Finding
from submitter.core.urls import BadUrl, normalize, printable

DEFAULT: Final = "x-default"
MOST_LINKS: Final = 1_000_000
"""Of one site, held at some forty bytes each; beyond them a share is judged, see `SiteLinks`."""

_LANGUAGES: Final = (
    " aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv"
    " cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho"
    " hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku"
    " kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn"
    " no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl"
    " sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve"
    " vi vo wa wo xh yi yo za zh zu"
)
LANGUAGES: Final = frozenset(_LANGUAGES.split())
"""ISO 639-1, from a copy, read 2026-11-30."""
_REGIONS: Final = (
    " ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo"
    " bq br bs bt bv bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj"
    " dk dm do dz ec ee eg eh er es et fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn gp"
    " gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg"
    " kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mf mg mh mk ml"
    " mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe"
    " pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sj sk sl"
    " sm sn so sr ss st sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug um"
    " us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw"
)
REGIONS: Final = frozenset(_REGIONS.split())
"""ISO 3166-1 alpha-2, from a copy, read 2026-11-30."""

_LOWEST, _HIGHEST = 1 << 8, 60
"""Of the bits of a pair that choose a share: other ones than those that choose a bucket."""

_PARTS: Final = re.compile(
    r"(?P<language>[a-z]{2})(?:-[a-z]{4})?(?:-(?P<region>[a-z]{2}|[0-9]{3}))?"
).fullmatch


def is_language(text: str) -> bool:
    """A language, perhaps with script and region, or `x-default`. Numbered regions count: nobody
    says what engines make of them."""
    text = text.lower()
    found = _PARTS(text)
    if found is None:
        return text == DEFAULT
    region = found["region"]
    return found["language"] in LANGUAGES and (
        region is None or region.isdigit() or region in REGIONS
    )


@dataclass(slots=True)
class _Fault:
    count: int = 0
    examples: list[str] = field(default_factory=list)
    details: Counter[str] = field(default_factory=Counter)

    def add(self, example: str, detail: str = "") -> None:
        self.count += 1
        if len(self.examples) < MAX_EXAMPLES:
            self.examples.append(example)
        if detail and (detail in self.details or len(self.details) < MAX_EXAMPLES):
            self.details[detail] += 1


class SiteLinks:
    """Takes the alternates of each entry of a site's sitemaps, then tells what is wrong with them.

    When there are more links than `most`, those between half of all pairs of pages are let go, and
    half again: what is held is judged wholly, and counts are said to be of a share.
    """

    def __init__(self, site: str, most: int = MOST_LINKS) -> None:
        self._site, self._own, self._most = site, f"{site}/", most
        self._faults: dict[str, _Fault] = {}
        self._sources, self._targets = array("q"), array("q")
        self._asking = bytearray()
        """1 for links that have to be returned; a selector of languages needs not."""
        self._places, self._lines = array("I"), array("I")
        self._documents: list[str] = []
        self._mask = 0

    def take(self, document: str, line: int, loc: str, links: Sequence[tuple[str, str]]) -> None:
        """The (hreflang, href) of one entry, as spelled."""
        try:
            identity = normalize(loc)
        except BadUrl:  # the reader says it
            return
        where = f"{document} line {line}"
        named = self._named(links, where)
        targets = {target for _, target in named}
        if targets and identity not in targets:
            self._fault("hreflang-no-self").add(loc)
        if targets and DEFAULT not in {language for language, _ in named}:
            self._fault("hreflang-no-default").add(loc)
        asking = {target for language, target in named if language != DEFAULT}
        others = sorted(one for one in targets - {identity} if one.startswith(self._own))
        source = page_key(identity)
        for target in others:
            self._hold(document, line, source, page_key(target), asks=target in asking)

    def _named(self, links: Sequence[tuple[str, str]], where: str) -> list[tuple[str, str]]:
        """Languages in lower case, with normal forms; what engines cannot use is a fault. A page
        under a wrong language is named all the same, or one fault would look like several."""
        named: dict[str, str] = {}
        repeated = False
        for language, href in links:
            try:
                target = normalize(href)
            except BadUrl:
                self._fault("hreflang-bad-address").add(href)
                continue
            if not is_language(language):
                self._fault("hreflang-bad-language").add(where, printable(language[:40]))
            repeated |= named.setdefault(language.lower(), target) != target
        if repeated:
            self._fault("hreflang-repeated").add(where)
        return list(named.items())

    def _fault(self, id: str) -> _Fault:
        return self._faults.setdefault(id, _Fault())

    # ------------------------------------------------------------ pairs of pages

    def _hold(self, document: str, line: int, source: int, target: int, *, asks: bool) -> None:
        if (source ^ target) & self._mask:
            return
        if not self._documents or self._documents[-1] != document:
            self._documents.append(document)
        self._sources.append(source)
        self._targets.append(target)
        self._asking.append(asks)
        self._places.append(len(self._documents) - 1)
        self._lines.append(line)
        while len(self._sources) > self._most and self._mask.bit_length() < _HIGHEST:
            self._halve()

    def _halve(self) -> None:
        """Both directions of a pair go, or stay."""
        self._mask = self._mask << 1 | _LOWEST
        pairs = enumerate(zip(self._sources, self._targets, strict=True))
        kept = [at for at, (one, other) in pairs if not (one ^ other) & self._mask]
        self._sources = array("q", [self._sources[at] for at in kept])
        self._targets = array("q", [self._targets[at] for at in kept])
        self._asking = bytearray([self._asking[at] for at in kept])
        self._places = array("I", [self._places[at] for at in kept])
        self._lines = array("I", [self._lines[at] for at in kept])

    @property
    def held(self) -> int:
        """Links between pages of the site."""
        return len(self._sources)

    @property
    def share(self) -> int:
        """One in so many pairs was held."""
        return 1 << self._mask.bit_count()

    # ------------------------------------------------------------ what came out

    def findings(self, listings: Listings, *, whole: bool) -> Iterator[Finding]:
        """`whole`: every entry was taken. If not, nothing is said of what is not there."""
        if self._sources and not whole:
            yield found("hreflang-not-judged", self._site, "a sitemap was not read to its end")
        elif self._sources:
            self._judge_returns(self._listed(listings))
        for id, fault in sorted(self._faults.items()):
            yield found(id, self._site, _detail(fault), count=fault.count, examples=fault.examples)

    def _listed(self, listings: Listings) -> bytearray:
        """Of each link, whether its target is listed."""
        parts = [array("I") for _ in range(BUCKETS)]
        for at, target in enumerate(self._targets):
            parts[target % BUCKETS].append(at)
        listed = bytearray(len(self._targets))
        for part, keys in zip(parts, listings.key_sets(), strict=True):
            for at in part:
                listed[at] = self._targets[at] in keys
        return listed

    def _judge_returns(self, listed: bytearray) -> None:
        parts = [array("I") for _ in range(BUCKETS)]
        for at, (one, other) in enumerate(zip(self._sources, self._targets, strict=True)):
            parts[(one ^ other) % BUCKETS].append(at)
        silent = [at for part in parts for at in self._unreturned(part)]
        share = f"of one in {self.share:,} pairs of pages" if self._mask else ""
        for at in sorted(silent):
            id = "hreflang-not-returned" if listed[at] else "hreflang-not-listed"
            where = f"{self._documents[self._places[at]]} line {self._lines[at]}"
            self._fault(id).add(where, share)

    def _unreturned(self, part: Sequence[int]) -> list[int]:
        """Each pair of pages once."""
        pairs = {(self._sources[at], self._targets[at]): at for at in reversed(part)}
        return [
            at
            for (one, other), at in pairs.items()
            if self._asking[at] and (other, one) not in pairs
        ]


def _detail(fault: _Fault) -> str:
    shown = [words for words, _ in fault.details.most_common(3)]
    return ", ".join(shown)
