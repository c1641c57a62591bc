"""Every way a fetch can fail and everything it may note, by its stable code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from submitter.core.findings import Finding, Meaning, Severity
from submitter.core.urls import shown
from submitter.errors import FetchError

REASONS: Final[Mapping[str, str]] = {
    # the address
    "bad-url": "not an address we fetch: control characters, blanks, a backslash, user:password, "
    "or a host that is neither a name nor an IP address",
    "bad-scheme": "neither http nor https",
    "bad-port": "a port besides 80 and 443 that the inventory does not name",
    "bad-connect-to": "an entry of connect_to that is not host:port",
    "private-address": "the name leads to an address that is not public, and allow_private does "
    "not name it",
    "mixed-addresses": "the name leads to public and to private addresses at once",
    "peer-mismatch": "the connection ended at another address than the one that was checked",
    # the name service
    "dns-nxdomain": "the name does not exist",
    "dns-empty": "the name exists and has no address",
    "dns-failure": "the name service failed",
    "dns-timeout": "the name service did not answer in time",
    # the connection
    "connect-refused": "nobody listens at the port",
    "connect-reset": "the connection was cut before an answer came",
    "connect-timeout": "no connection, or no TLS handshake, in time",
    "connect-unreachable": "no route to the address (an IPv6-only host seen from IPv4, for one)",
    "connect-failed": "the connection failed for another reason",
    "tls-expired": "the certificate has expired",
    "tls-not-yet-valid": "the certificate is not valid yet",
    "tls-wrong-host": "the certificate is for another host",
    "tls-unknown-ca": "the certificate's issuer is not trusted; see ca_file",
    "tls-bad-certificate": "the certificate fails for another reason",
    "tls-old-version": "the server speaks no TLS 1.2 or later",
    "tls-failure": "the TLS handshake failed",
    "out-of-resources": "this machine has no file descriptor, thread or memory left",
    # time
    "timeout": "no answer within the site's timeout_s",
    "too-slow": "the answer began and was not whole within the site's timeout_s",
    "deadline": "the run's own deadline came first; says nothing about the site",
    "host-busy": "our other connections to this host left no room in time",
    "host-paused": "the host asked us to wait, and for longer than this fetch may take",
    # the answer
    "bad-response": "not an HTTP answer, or one whose headers cannot be read",
    "header-flood": "more than 100 headers or 64 KiB of them",
    "redirect-loop": "a redirect to an address that was already visited",
    "too-many-redirects": "more than 5 redirects",
    "unexpected-304": "304 although nothing conditional was asked",
    "http-NNN": "the status of the answer, where it is neither 200, 203, 304 nor a redirect that "
    "says where to; a redirect code here has no Location",
    # the body
    "body-cut": "the connection ended, or the chunks broke, before the end of the body",
    "bad-encoding": "a Content-Encoding that we never offered",
    "too-large": "more than the site's max_bytes, before or after inflating",
    "gzip-nested": "gzip in gzip in gzip",
    "gzip-members": "more gzip members than any real file has",
    # local files
    "file-unreadable": "the file cannot be read",
    "list-unreadable": "reading a publish list broke off; nothing was built of it",
    "line-too-long": "a line of a publish list that no row is as long as",
}
"""Reason codes of `FetchError`, for the docs. They only grow. `http-NNN` stands for each status."""

NOTES: Final[Mapping[str, Meaning]] = {
    "redirected-permanently": Meaning(
        Severity.INFO,
        "moved for good; the inventory or the index may name the new address",
    ),
    "redirect-to-http": Meaning(
        Severity.WARNING,
        "a redirect led from https to http: what was read may have been altered on the way",
    ),
    "gzip-truncated": Meaning(
        Severity.ERROR, "the gzip data ends early; what came out before is used"
    ),
    "gzip-corrupt": Meaning(
        Severity.ERROR, "the gzip data is damaged; what came out before is used"
    ),
    "gzip-trailing-junk": Meaning(
        Severity.WARNING, "bytes after the end of the gzip data were ignored"
    ),
    "gzip-twice": Meaning(Severity.INFO, "compressed twice; both layers were taken off"),
    "not-gzip": Meaning(Severity.INFO, "announced as gzip and is not; read as it is"),
}
"""Ids of the findings a fetch may carry, for the docs. They only grow."""


def failure(
    url: str,
    reason: str,
    problem: str,
    *,
    http_status: int | None = None,
    retry_after_s: float | None = None,
) -> FetchError:
    """A FetchError that shows no query string."""
    return FetchError(
        shown(url), reason, problem, http_status=http_status, retry_after_s=retry_after_s
    )


def note(id: str, where: str, example: str = "") -> Finding:
    """A finding about the transport of one document."""
    severity, message = NOTES[id]
    return Finding(id, severity, where, message, examples=(example,) if example else ())
