"""What a tree of documents amounts to: has anything under a declared sitemap changed?"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from submitter.core import urls
from submitter.core.findings import Finding, Meaning, Severity
from submitter.core.looks import DocumentKind, DocumentMemory, RootLook

TREE_IDS: Final = {
    "robots-unreachable": Meaning(
        Severity.WARNING, "robots.txt cannot be had now; what it named at the last look stands"
    ),
    "sitemaps-unknown": Meaning(
        Severity.ERROR, "robots.txt cannot be had, and what it named before is not known"
    ),
    "no-sitemap-line": Meaning(Severity.ERROR, "robots.txt names no sitemap, and nobody else does"),
    "bad-sitemap-url": Meaning(Severity.ERROR, "a sitemap is named by what is no address"),
    "too-many-documents": Meaning(
        Severity.ERROR, "more documents than `fetch.max_documents`; the rest was not read"
    ),
    "duplicate-document": Meaning(
        Severity.WARNING, "a document redirects to one that is read already"
    ),
    "nested-index": Meaning(
        Severity.WARNING, "an index inside an index: Google and Bing read only one level"
    ),
    "index-too-deep": Meaning(
        Severity.ERROR, "more levels of indexes than `fetch.max_depth`; the rest was not read"
    ),
    "index-self-reference": Meaning(Severity.ERROR, "an index lists itself"),
    "sitemap-disallowed": Meaning(
        Severity.ERROR,
        "robots.txt closes a sitemap to the crawler of an engine that is told it; it is not told",
    ),
    "foreign-sitemap": Meaning(
        Severity.WARNING,
        "an index lists a document, or one redirects to another, on a host that is not in the"
        " inventory and whose robots.txt does not name it; it was not read",
    ),
}
"""Ids of findings about a site's tree of documents, for the docs. They only grow."""


DISALLOWED: Final = "sitemap-disallowed"


def disallowed(sitemap: str, crawlers: Sequence[str]) -> Finding:
    """`robots.txt` keeps these crawlers from a sitemap; they stand as examples."""
    message = f"robots.txt closes it to {', '.join(crawlers)}"
    severity = TREE_IDS[DISALLOWED].severity
    return Finding(DISALLOWED, severity, sitemap, message, len(crawlers), tuple(crawlers))


def is_disallowed(findings: Iterable[Finding], sitemap: str, crawler: str) -> bool:
    return any(
        one.id == DISALLOWED and one.where == sitemap and crawler in one.examples
        for one in findings
    )


@dataclass(frozen=True, slots=True)
class Node:
    """What one document contributes to the sitemaps above it."""

    content: str
    changed_at: datetime | None
    pages: int
    kind: DocumentKind | None
    children: tuple[str, ...] = ()
    problem: str = ""
    whole: bool = True
    """Read to its end, or to the protocol's limit."""

    @classmethod
    def unread(cls) -> Node:
        return cls("", None, 0, None)

    @classmethod
    def remembered(cls, memory: DocumentMemory) -> Node:
        return cls(
            content=memory.content,
            changed_at=memory.changed_at,
            pages=memory.pages,
            kind=memory.kind,
            children=tuple(memory.children),
            whole=memory.complete or memory.over_limit > 0,
        )


def root_look(root: str, nodes: Mapping[str, Node]) -> RootLook:
    """Sum up the tree under a declared sitemap. `nodes` are by normal form of their address.

    A sitemap that we cannot read to its end is not worth an engine's first look: a failed first
    fetch sticks. A broken child does not make its index unreadable.
    """
    try:
        top = nodes.get(urls.normalize(root))
    except urls.BadUrl as error:
        return _unreadable(root, error.problem)
    if top is None or top.problem or top.kind is None:
        return _unreadable(root, top.problem if top else "not looked at")
    if not top.whole:
        return _unreadable(root, "it could not be read to its end")
    tree = _documents_under(root, nodes)
    digest = hashlib.sha256()
    for identity in sorted(tree):
        digest.update(f"{identity}\0{tree[identity].content}\n".encode())
    changes = [node.changed_at for node in tree.values() if node.changed_at is not None]
    return RootLook(
        sitemap=root,
        readable=True,
        content=digest.hexdigest()[:32],
        changed_at=max(changes, default=None),
        pages=sum(node.pages for node in tree.values()),
        is_index=top.kind is DocumentKind.INDEX,
    )


def _unreadable(root: str, problem: str) -> RootLook:
    return RootLook(root, False, "", None, 0, False, problem)


def _documents_under(root: str, nodes: Mapping[str, Node]) -> dict[str, Node]:
    found: dict[str, Node] = {}
    waiting = [root]
    while waiting:
        try:
            identity = urls.normalize(waiting.pop())
        except urls.BadUrl:
            continue
        node = nodes.get(identity)
        if node is None or identity in found:
            continue
        found[identity] = node
        waiting.extend(node.children)
    return found
