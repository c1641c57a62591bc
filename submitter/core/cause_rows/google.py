"""What Google, and the login there, can have against an account or a property."""

from __future__ import annotations

from typing import Final

from submitter.core.cause_rows.row import Cause

_GOOGLE: Final = ("google",)
GOOGLE_ROWS: Final = (
    Cause(
        "key-unreadable",
        "The key is no key of a service account that Google's library can use",
        "Create a new key in the Cloud console (IAM › Service accounts › Keys).",
        _GOOGLE,
    ),
    Cause(
        "no-credentials",
        "This machine is not logged in at Google, and the inventory names no key",
        "Name a key file in the account's `credentials`, or log in with gcloud.",
        _GOOGLE,
    ),
    Cause(
        "clock-skew",
        "This machine's clock is wrong, so Google takes the login for a forgery",
        "Set this machine's clock.",
        _GOOGLE,
    ),
    Cause(
        "key-deleted",
        "The key was deleted in the Cloud console, or belongs to another account",
        "Create a new key (IAM › Service accounts › Keys).",
        _GOOGLE,
    ),
    Cause(
        "account-missing",
        "The service account does not exist any more",
        "Create it again, or correct the e-mail in the key file.",
        _GOOGLE,
    ),
    Cause(
        "account-disabled",
        "The service account is switched off",
        "Enable it in the Cloud console (IAM › Service accounts).",
        _GOOGLE,
    ),
    Cause(
        "login-expired",
        "A person's login has run out or was revoked",
        "Log in again with gcloud.",
        _GOOGLE,
    ),
    Cause(
        "login-refused",
        "Google does not let the account in",
        "Check the account and its key in the Cloud console.",
        _GOOGLE,
    ),
    Cause(
        "token-refused",
        "Google refused the account's token, a fresh one as well",
        "Check the account in the Cloud console.",
        _GOOGLE,
    ),
    Cause(
        "scope-missing",
        "The login may read Search Console and not write to it, or neither",
        "Log in with the scope https://www.googleapis.com/auth/webmasters.",
        _GOOGLE,
    ),
    Cause(
        "api-disabled",
        "The Search Console API is not switched on in the account's Cloud project",
        "Enable the Google Search Console API in that project, then wait some minutes.",
        _GOOGLE,
    ),
    Cause(
        "quota-project-denied",
        "The credentials name a project for the bill that they may not use",
        "Remove the quota project from the credentials, or let them use it.",
        _GOOGLE,
    ),
    Cause(
        "project-unusable",
        "Google has closed the account's Cloud project",
        "See the project in the Cloud console.",
        _GOOGLE,
    ),
    Cause(
        "account-forbidden",
        "Google lets the account in and shows it nothing",
        "Check in the Cloud console whether the account may use the Search Console API.",
        _GOOGLE,
    ),
    Cause(
        "property-missing",
        "The account does not have this property in Search Console",
        "Add the account to the property as an owner (Settings › Users and permissions), or verify"
        " the domain for it with `submitter google verify-domain`.",
        _GOOGLE,
    ),
    Cause(
        "property-spelled-differently",
        "The account has this site under another name, and the name must match to the letter",
        "Set the site's `google_property` to the name that the account has.",
        _GOOGLE,
    ),
    Cause(
        "property-invalid",
        "This is no name that Search Console has for a property",
        "Write `domain`, `host`, sc-domain:NAME or a full address with its slash in"
        " `google_property`.",
        _GOOGLE,
    ),
    Cause(
        "property-forbidden",
        "The account may not submit to this property: it is not on it, has too small a role, or"
        " the name differs",
        "Run `submitter check --online`, which compares with the account's own list.",
        _GOOGLE,
    ),
    Cause(
        "role-restricted",
        "The account may look at this property and not submit to it",
        "Have an owner make the account an owner (Settings › Users and permissions).",
        _GOOGLE,
    ),
    Cause(
        "role-unverified",
        "The account put this property on its list and never proved that it is its own",
        "Verify it with `submitter google verify-domain`, or have an owner add the account.",
        _GOOGLE,
    ),
    Cause(
        "sitemap-outside-property",
        "The sitemap does not lie under this property",
        "Set the site's `google_property` to one that covers the sitemap.",
        _GOOGLE,
    ),
    Cause(
        "sitemap-address-too-long",
        "The sitemap's address is longer than a call to Google may hold",
        "Serve the sitemap under a shorter address.",
        _GOOGLE,
    ),
)
