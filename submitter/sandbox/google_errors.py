"""Google's refusals, word for word as far as they are known.

Source: the real bodies collected in section 2.2 of the project's fact sheet on Google, read
2026-11-30. Old (`errors[]`) and new (`status`, `details[]`) layers stand side by side, as they do
in Google's own answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from submitter.sandbox.wire import Answer, html_answer, json_answer

_ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo"
_SERVICE = "searchconsole.googleapis.com"


@dataclass(frozen=True, slots=True)
class Api:
    """What a Google API is called in errors."""

    title: str
    service: str


CONSOLE = Api("Google Search Console API", _SERVICE)


def error(
    code: int,
    message: str,
    *,
    reason: str,
    domain: str = "global",
    status: str = "",
    info: Mapping[str, object] | None = None,
    **legacy: str,
) -> Answer:
    """The envelope. `legacy` are further fields of the old layer (`location`, `locationType`)."""
    item = {"message": message, "domain": domain, "reason": reason, **legacy}
    body: dict[str, object] = {"code": code, "message": message, "errors": [item]}
    if status:
        body["status"] = status
    if info:
        body["details"] = [{"@type": _ERROR_INFO, "domain": "googleapis.com", **info}]
    return json_answer(code, {"error": body})


def token_error(code: str, description: str) -> Answer:
    """What the token endpoint says; always 400."""
    return json_answer(400, {"error": code, "error_description": description})


def not_routed() -> Answer:
    """The front end's page for a path that no service has, for example with bare slashes."""
    return html_answer(404, "Error 404 (Not Found)!!1")


def not_signed_in() -> Answer:
    return error(
        401,
        "Request is missing required authentication credential. Expected OAuth 2 access token, "
        "login cookie or other valid authentication credential.",
        reason="required",
        status="UNAUTHENTICATED",
        info={"reason": "CREDENTIALS_MISSING", "metadata": {"service": _SERVICE}},
        location="Authorization",
        locationType="header",
    )


def bad_token() -> Answer:
    return error(
        401,
        "Request had invalid authentication credentials. Expected OAuth 2 access token, login "
        "cookie or other valid authentication credential.",
        reason="authError",
        status="UNAUTHENTICATED",
        info={"reason": "ACCESS_TOKEN_EXPIRED", "metadata": {"service": _SERVICE}},
        location="Authorization",
        locationType="header",
    )


def scope_missing(method: str, api: Api = CONSOLE) -> Answer:
    return error(
        403,
        "Request had insufficient authentication scopes.",
        reason="insufficientPermissions",
        status="PERMISSION_DENIED",
        info={
            "reason": "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
            "metadata": {"service": api.service, "method": method},
        },
    )


def api_disabled(project_number: str, api: Api = CONSOLE) -> Answer:
    url = f"https://console.developers.google.com/apis/api/{api.service}/overview"
    return error(
        403,
        f"{api.title} has not been used in project {project_number} before or it is "
        f"disabled. Enable it by visiting {url}?project={project_number} then retry. If you "
        "enabled this API recently, wait a few minutes for the action to propagate to our systems "
        "and retry.",
        reason="accessNotConfigured",
        domain="usageLimits",
        status="PERMISSION_DENIED",
        info={
            "reason": "SERVICE_DISABLED",
            "metadata": {"service": api.service, "consumer": f"projects/{project_number}"},
        },
    )


def forbidden(site_url: str) -> Answer:
    """One text for four causes: not added, another account, another spelling, not proven."""
    return error(
        403,
        f"User does not have sufficient permission for site '{site_url}'. See also: "
        "https://support.google.com/webmasters/answer/2451999.",
        reason="forbidden",
    )


def bad_parameter(name: str, message: str) -> Answer:
    return error(400, message, reason="invalidParameter", location=name, locationType="parameter")


def bad_site_url(site_url: str) -> Answer:
    return bad_parameter("siteUrl", f"'{site_url}' is not a valid Search Console site URL.")


def foreign_feed(feedpath: str, site_url: str) -> Answer:
    """Our guess: the real body for a sitemap outside the property is not known."""
    return bad_parameter("feedpath", f"'{feedpath}' is not part of the site '{site_url}'.")


def not_found(what: str) -> Answer:
    return error(404, f"'{what}' not found.", reason="notFound", status="NOT_FOUND")


def too_fast(project_number: str, limit: str) -> Answer:
    """429 for a window that is full; `limit` as in `Queries per minute per user`."""
    return error(
        429,
        f"Quota exceeded for quota metric 'Queries' and limit '{limit}' of service '{_SERVICE}' "
        f"for consumer 'project_number:{project_number}'.",
        reason="rateLimitExceeded",
        domain="usageLimits",
        status="RESOURCE_EXHAUSTED",
        info={
            "reason": "RATE_LIMIT_EXCEEDED",
            "metadata": {"service": _SERVICE, "consumer": f"projects/{project_number}"},
        },
    )


def not_own() -> Answer:
    """URL Inspection's refusal, of a property or of a page outside it.
    Source: https://github.com/goenning/google-indexing-script/issues/52."""
    message = "You do not own this site, or the inspected URL is not part of this property."
    return _modern(403, message, "PERMISSION_DENIED")


def inspections_spent(site_url: str) -> Answer:
    """URL Inspection's quota, with no word of the period that was filled.
    Source: https://github.com/goenning/google-indexing-script/issues/45."""
    return _modern(429, f"Quota exceeded for {site_url}.", "RESOURCE_EXHAUSTED")


def token_not_found() -> Answer:
    message = "The necessary verification token could not be found on your site."
    return error(400, message, reason="badRequest")


def unfit_method(method: str, kind: str) -> Answer:
    """Source: https://github.com/googleapis/google-api-go-client/issues/430."""
    message = f"You cannot use the verification method {method} to verify a site of type {kind}"
    return error(400, message, reason="invalidParameter")


def verification_broken() -> Answer:
    """What the method `DNS` got for days. Source: google-api-python-client issue 2598."""
    message = "An unexpected error occurred. Please try your request again."
    return error(503, message, reason="backendError")


def _modern(code: int, message: str, status: str) -> Answer:
    """Only the newer layer, without details."""
    return json_answer(code, {"error": {"code": code, "message": message, "status": status}})


def _day_spent() -> Answer:
    return error(
        429,
        f"Quota exceeded for quota metric 'Queries' and limit 'Queries per day' of service "
        f"'{_SERVICE}' for consumer 'project_number:1'.",
        reason="rateLimitExceeded",
        domain="usageLimits",
        status="RESOURCE_EXHAUSTED",
        info={"reason": "RATE_LIMIT_EXCEEDED", "metadata": {"service": _SERVICE}},
    )


def _user_rate_403() -> Answer:
    return error(
        403,
        "User Rate Limit Exceeded",
        reason="userRateLimitExceeded",
        domain="usageLimits",
    )


def _rate_403_without_reason() -> Answer:
    """The newer form: no `errors[]`, so a client that reads only the old layer sees a plain 403."""
    info = {"@type": _ERROR_INFO, "reason": "RATE_LIMIT_EXCEEDED", "domain": "googleapis.com"}
    message = "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute per user'."
    body = {"code": 403, "message": message, "status": "PERMISSION_DENIED", "details": [info]}
    return json_answer(403, {"error": body})


def named_answers() -> dict[str, Answer]:
    """Answers for faults, by name."""
    return {
        "rate": error(429, "Rate Limit Exceeded", reason="rateLimitExceeded", domain="usageLimits"),
        "rate-user": _user_rate_403(),
        "rate-403": _rate_403_without_reason(),
        "day-spent": _day_spent(),
        "quota-exceeded": error(
            403, "Quota Exceeded", reason="quotaExceeded", domain="usageLimits"
        ),
        "backend-error": error(500, "Backend Error", reason="backendError"),
        "internal": error(
            500, "Internal error encountered.", reason="backendError", status="INTERNAL"
        ),
        "unavailable": error(
            503,
            "The service is currently unavailable.",
            reason="backendError",
            status="UNAVAILABLE",
        ),
        "bad-gateway": html_answer(502, "Error 502 (Server Error)!!1"),
        "bad-token": bad_token(),
        "invalid-grant": token_error("invalid_grant", "Invalid JWT Signature."),
        "token-unavailable": json_answer(503, {"error": "temporarily_unavailable"}),
        "list-body": json_answer(403, ["unexpected"]),
    }
