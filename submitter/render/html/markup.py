"""HTML that cannot be broken out of: every text is escaped unless it was made here."""

from __future__ import annotations

import json
from html import escape

from submitter.core.plain import plain

_EMPTY = frozenset({"br", "hr", "img", "input", "link", "meta", "rect", "use", "path", "line"})


class Html(str):
    """Markup made by `element`, `raw` or `join`; any other text is foreign."""

    __slots__ = ()


Content = str | int | None
"""A piece of a page; None is nothing."""


def text(value: Content) -> Html:
    """Foreign text: escaped, and what could steer its reader (bidi controls, …) made visible."""
    if isinstance(value, Html):
        return value
    return Html("" if value is None else escape(plain(str(value)), quote=True))


def raw(markup: str) -> Html:
    """Only for what stands in this package word by word."""
    return Html(markup)


def join(*parts: Content) -> Html:
    return Html("".join(map(text, parts)))


def element(tag: str, /, *parts: Content, **attributes: str | int | bool | None) -> Html:
    """`class_` is class, `aria_label` aria-label, `data_x` data-x; None and False leave out."""
    pairs = "".join(
        f" {_attribute(key)}" if value is True else f' {_attribute(key)}="{text(value)}"'
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if tag in _EMPTY and not parts:
        return Html(f"<{tag}{pairs}>" if tag in ("br", "hr", "input", "link", "meta") else
                    f"<{tag}{pairs}/>")  # fmt: skip
    return Html(f"<{tag}{pairs}>{join(*parts)}</{tag}>")


def _attribute(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


_STEERING = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def json_block(id: str, value: object) -> Html:
    """Data for the page's script: no text in it can end the element."""
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(_STEERING)
    return Html(f'<script type="application/json" id="{escape(id)}">{body}</script>')
