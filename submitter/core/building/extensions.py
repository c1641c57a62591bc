"""What may stand in an entry besides address and date: images, videos, news, alternates.

Each function gives the XML of what can be used, and counts what cannot by its id in `LEFT_OUT`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from submitter.core.building.changes import Change, ChangeDates
from submitter.core.building.leaks import flag
from submitter.core.sitemap_xml import NAMESPACE, escape, writable_lastmod
from submitter.core.urls import BadUrl, normalize, sendable

IMAGE: Final = "http://www.google.com/schemas/sitemap-image/1.1"
VIDEO: Final = "http://www.google.com/schemas/sitemap-video/1.1"
NEWS: Final = "http://www.google.com/schemas/sitemap-news/0.9"
XHTML: Final = "http://www.w3.org/1999/xhtml"

EXTENDED_ROOT: Final = (
    f'<urlset xmlns="{NAMESPACE}" xmlns:image="{IMAGE}" xmlns:video="{VIDEO}"'
    f' xmlns:xhtml="{XHTML}">\n'
).encode()
"""The same in every file, so that the first image of a file changes no other line of it."""
NEWS_ROOT: Final = f'<urlset xmlns="{NAMESPACE}" xmlns:news="{NEWS}">\n'.encode()

MAX_IMAGES: Final = 1_000
"""Of one page. Source:
https://developers.google.com/search/docs/crawling-indexing/sitemaps/image-sitemaps,
read 2026-11-30."""

MAX_VIDEO_S: Final = 28_800
MAX_DESCRIPTION: Final = 2_048
MAX_TAGS: Final = 32
"""Source: https://developers.google.com/search/docs/crawling-indexing/sitemaps/video-sitemaps,
read 2026-11-30."""

_LANGUAGE: Final = re.compile(
    r"x-default|[a-z]{2}(?:-[A-Za-z]{4})?(?:-[A-Za-z]{2})?", re.IGNORECASE
).fullmatch
"""ISO 639-1, then a script (ISO 15924), then a region (ISO 3166-1). Source:
https://developers.google.com/search/docs/specialty/international/localized-versions,
read 2026-11-30."""
_NEWS_LANGUAGE: Final = re.compile(r"[a-z]{2,3}|zh-cn|zh-tw", re.IGNORECASE).fullmatch
"""Source: https://developers.google.com/search/docs/crawling-indexing/sitemaps/news-sitemap,
read 2026-11-30."""
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]").search

LINK: Final = "<xhtml:link "


class Alternate(NamedTuple):
    """Another language of a page; `identity` in normal form."""

    identity: str
    xml: str


def listed(value: Any) -> Sequence[Any]:
    """Several values: a list, or words of a cell, or JSON in a cell. Empty for none."""
    if value is None or value == "":
        return ()
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            value = json.loads(value)
        except ValueError:
            return (value,)
    if isinstance(value, str):
        return value.split()
    return value if isinstance(value, list) else (value,)


# ---------------------------------------------------------------- images


def images_xml(value: Any, left_out: Counter[str]) -> str:
    """Addresses, or objects with `loc` or `url`. An image named twice counts once."""
    locs: dict[str, None] = {}
    for image in listed(value):
        loc = image.get("loc", image.get("url")) if isinstance(image, Mapping) else image
        if (sent := _address(loc)) is None:
            left_out["bad-image"] += 1
        else:
            locs[sent] = None
    if len(locs) > MAX_IMAGES:
        left_out["too-many-images"] += len(locs) - MAX_IMAGES
    used = list(locs)[:MAX_IMAGES]
    return "".join(
        [f"<image:image><image:loc>{escape(loc)}</image:loc></image:image>" for loc in used]
    )


# ---------------------------------------------------------------- videos


def videos_xml(value: Any, dates: ChangeDates, left_out: Counter[str]) -> str:
    """Objects with thumbnail_loc, title, description, and content_loc or player_loc."""
    xml = ""
    for video in listed(value):
        elements = _video(video, dates) if isinstance(video, Mapping) else None
        if elements is None:
            left_out["bad-video"] += 1
        else:
            inner = "".join([_element("video", name, text) for name, text in elements])
            xml += f"<video:video>{inner}</video:video>"
    return xml


def _video(video: Mapping[str, Any], dates: ChangeDates) -> list[tuple[str, str]] | None:
    """Its elements in the order of the schema; None when something required lacks."""
    elements = {"thumbnail_loc": _address(video.get("thumbnail_loc"))}
    elements["title"] = _words(video.get("title"))
    elements["description"] = _words(video.get("description"), MAX_DESCRIPTION)
    if not all(elements.values()):
        return None
    places = {name: _address(video.get(name)) for name in ("content_loc", "player_loc")}
    if not any(places.values()):
        return None
    extras = _video_extras(video, dates)
    if any(text is None for text in extras.values()):
        return None
    tags = [_words(tag) for tag in listed(video.get("tags"))][:MAX_TAGS]
    known = {**elements, **places, **extras}
    found = [(name, text) for name, text in known.items() if text]
    return [*found, *(("tag", tag) for tag in tags if tag)]


def _video_extras(video: Mapping[str, Any], dates: ChangeDates) -> dict[str, str | None]:
    """What may stand there as well; None when it stands there and is wrong."""
    extras: dict[str, str | None] = {}
    for name, read in (
        ("duration", _duration),
        ("expiration_date", _moment),
        ("rating", _rating),
        ("view_count", lambda value: _number(value, 0, 10**12)),
        ("publication_date", lambda value: dates.read(value).text or None),
        ("family_friendly", _yes_or_no),
        ("requires_subscription", _yes_or_no),
        ("uploader", lambda value: _words(value, 255)),
        ("live", _yes_or_no),
    ):
        value = video.get(name)
        if value is not None and value != "":
            extras[name] = read(value)
    return extras


def _duration(value: Any) -> str | None:
    return _number(value, 1, MAX_VIDEO_S)


def _number(value: Any, least: int, most: int) -> str | None:
    text = str(value).strip()
    return text if re.fullmatch(r"[0-9]{1,13}", text) and least <= int(text) <= most else None


def _rating(value: Any) -> str | None:
    text = str(value).strip()
    return text if re.fullmatch(r"[0-4](\.[0-9]+)?|5(\.0+)?", text) else None


def _yes_or_no(value: Any) -> str | None:
    said = flag(value)
    return None if said is None else "yes" if said else "no"


def _moment(value: Any) -> str | None:
    """A time with zone that may lie ahead."""
    return writable_lastmod(str(value)) or None


# ---------------------------------------------------------------- news


def news_xml(value: Any, dates: ChangeDates) -> tuple[str, Change] | None:
    """The element of an article and when it was published; None when something lacks."""
    if isinstance(value, str):
        (value,) = listed(value)[:1] or (None,)
    if not isinstance(value, Mapping):
        return None
    name, title = _words(value.get("name")), _words(value.get("title"))
    language = _words(value.get("language"))
    published = dates.read(value.get("publication_date"))
    if not (name and title and language and _NEWS_LANGUAGE(language) and published.text):
        return None
    publication = _element("news", "name", name) + _element("news", "language", language.lower())
    xml = (
        f"<news:news><news:publication>{publication}</news:publication>"
        f"<news:publication_date>{published.text}</news:publication_date>"
        f"{_element('news', 'title', title)}</news:news>"
    )
    return xml, published


# ---------------------------------------------------------------- alternates


def alternates_of(value: Any, left_out: Counter[str]) -> list[Alternate]:
    """An object of addresses by language, a list of objects with `hreflang` and `href`, or
    words `de=https://…`. A language named twice counts once."""
    found: dict[str, Alternate] = {}
    for language, href in _pairs(value):
        sent = _address(href)
        if sent is None or not isinstance(language, str) or not _LANGUAGE(language):
            left_out["bad-alternate"] += 1
        elif language.lower() not in found:
            xml = f'{LINK}rel="alternate" hreflang="{language}" href="{escape(sent)}"/>'
            found[language.lower()] = Alternate(normalize(sent), xml)
    return list(found.values())


def _pairs(value: Any) -> Iterable[tuple[Any, Any]]:
    for item in listed(value):
        if isinstance(item, str):
            language, _, href = item.partition("=")
            yield language, href
        elif not isinstance(item, Mapping):
            yield None, item
        elif "href" in item or "hreflang" in item:
            yield item.get("hreflang"), item.get("href")
        else:
            yield from item.items()


def without_links(line: bytes, unwanted: Iterable[int]) -> bytes:
    """The line of an entry without some of its alternates, counted from 0."""
    head, *links = line.decode().split(LINK)
    tail = links[-1].partition("/>")[2]
    drop = set(unwanted)
    kept = [
        LINK + link.partition("/>")[0] + "/>" for at, link in enumerate(links) if at not in drop
    ]
    return (head + "".join(kept) + tail).encode()


# ---------------------------------------------------------------- texts


def _address(value: Any) -> str | None:
    try:
        return sendable(value) if isinstance(value, str) and normalize(value) else None
    except BadUrl:
        return None


def _words(value: Any, longest: int = 0) -> str | None:
    """Text that XML can hold, without the blanks around it; None for none."""
    text = str(value).strip() if isinstance(value, str | int | float) else ""
    if not text or _NOT_XML(text) or (longest and len(text) > longest):
        return None
    return " ".join(text.split())


def _element(prefix: str, name: str, text: str) -> str:
    return f"<{prefix}:{name}>{escape(text)}</{prefix}:{name}>"
