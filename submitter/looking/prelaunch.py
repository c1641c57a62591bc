"""Asks some pages of a site what they are before any engine is told of it for the first time."""

from __future__ import annotations

from dataclasses import replace

from submitter.core.findings import Severity
from submitter.core.fleet import Site
from submitter.core.looks import SiteLook
from submitter.core.prelaunch import (
    HEAD_BYTES,
    MISSING,
    SAMPLE,
    PageAnswer,
    head_ends,
    is_hidden,
    judge_sample,
    shut_out_by_meta,
    shut_out_by_tag,
    wants_sample,
)
from submitter.core.urls import BadUrl, host_of, leads_elsewhere
from submitter.errors import FetchError
from submitter.looking.walk import Surroundings
from submitter.ports import Fetched, Ledger

PATIENCE = 2
"""When so many pages give no answer that says anything, the others are left alone."""


def sample_site(site: Site, look: SiteLook, *, ledger: Ledger, around: Surroundings) -> SiteLook:
    """The look with what a sample of the site's pages says, where one is wanted. What most of
    them have holds the site (see `guard.judge`), the rest is a finding of the look.

    When the deadline comes first the look is unfinished, so that the next one asks again.
    """
    if not (site.prelaunch and wants_sample(look)) or _is_closed(look, around):
        return look
    answers: list[PageAnswer] = []
    for url in ledger.sample_pages(site.origin, limit=SAMPLE):
        answers.append(_ask(url, site, around))
        if _out_of_time(around):
            return replace(look, unfinished=True)
        if len(answers) == PATIENCE and not any(one.speaks for one in answers):
            break
    found = judge_sample(site.origin, site.host, answers)
    return replace(
        look,
        prelaunch=tuple(one for one in found if one.severity is Severity.ERROR),
        findings=(*look.findings, *(one for one in found if one.severity is not Severity.ERROR)),
    )


def _is_closed(look: SiteLook, around: Surroundings) -> bool:
    """To every engine's crawler: it is held for that, and we keep out as well."""
    return bool(around.crawlers) and look.closed_to.issuperset(around.crawlers)


def _out_of_time(around: Surroundings) -> bool:
    until = around.until
    return around.stopped() or (until is not None and around.clock.monotonic() >= until)


def _ask(url: str, site: Site, around: Surroundings) -> PageAnswer:
    try:
        with around.source.fetch(url, site=site, until=around.until) as answer:
            host = host_of(answer.final_url)
            return PageAnswer(url, answer.status, host, _is_hidden(answer, site, around))
    except FetchError as error:
        status = error.http_status if error.http_status in MISSING else None
        host = _host_led_to(error.led_to) if leads_elsewhere(site.origin, error.led_to) else ""
        return PageAnswer(url, status, host)
    except BadUrl:
        return PageAnswer(url, None)


def _host_led_to(address: str) -> str:
    """What cannot be fetched is elsewhere all the same."""
    try:
        return host_of(address)
    except BadUrl:
        return "nowhere"


def _is_hidden(answer: Fetched, site: Site, around: Surroundings) -> bool:
    """By a header, which leaves the body unread, or by what its head says besides."""
    crawlers = {traits.crawler for traits in around.engines_of.get(site.origin, ())}
    named = frozenset().union(*map(shut_out_by_tag, answer.robots_tags))
    return is_hidden(named, crawlers) or is_hidden(named | _shut_out_by_head(answer), crawlers)


def _shut_out_by_head(answer: Fetched) -> frozenset[str]:
    """Reads on only until the page's head is over."""
    text, charset = "", answer.charset
    for chunk in answer.chunks():
        text += _decoded(chunk, charset)
        if len(text) >= HEAD_BYTES or head_ends(text):
            break
    return shut_out_by_meta(text[:HEAD_BYTES])


def _decoded(chunk: bytes, charset: str | None) -> str:
    """Tags are ASCII in nearly every encoding; letters that are torn apart do not matter here."""
    try:
        return chunk.decode(charset or "utf-8", errors="replace")
    except LookupError:
        return chunk.decode("utf-8", errors="replace")
