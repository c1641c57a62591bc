"""References to secrets: `env:NAME`, `file:PATH`, `gcp-secret:…`, `aws-secret:…`, `adc`.

A text that is no reference may be the secret itself: no message here ever repeats it.
"""

from __future__ import annotations

import re
from pathlib import Path

from submitter.core.fleet import SecretRef

AMBIENT = "adc"
AMBIENT_KEY = "credentials"
"""`adc`, the machine's own Google identity, is a reference only where an engine's secret has this
key: such a secret is a Google credential."""

_FORMS = {
    "env": re.compile(r"[A-Za-z_][A-Za-z0-9_]*"),
    "file": re.compile(r"[^\x00-\x1f\x7f]+"),
    "gcp-secret": re.compile(
        r"projects/[\w.:-]+/secrets/[\w-]+(?:/versions/[\w-]+)?(?:#[\w.-]+)?", re.ASCII
    ),
    "aws-secret": re.compile(r"[\w/+=.@:-]+(?:#[\w.-]+)?", re.ASCII),
}
_EXPECTED = {
    "env": "env:NAME, a name of letters, digits and _",
    "file": "file:PATH",
    "gcp-secret": "gcp-secret:projects/PROJECT/secrets/NAME",
    "aws-secret": "aws-secret:NAME",
}
NOT_A_REFERENCE = (
    "must be a reference, env:NAME or file:PATH, never the secret itself (value not shown)"
)


def parse_reference(text: str, base: Path) -> SecretRef:
    """The reference, a relative `file:` made absolute under `base`. Raises ValueError."""
    if text == AMBIENT:
        return SecretRef(AMBIENT)
    scheme, _, locator = text.partition(":")
    form = _FORMS.get(scheme)
    if form is None:
        raise ValueError(NOT_A_REFERENCE)
    if not form.fullmatch(locator):
        raise ValueError(f"must be written as {_EXPECTED[scheme]} (value not shown)")
    if scheme != "file":
        return SecretRef(scheme, locator)
    if locator.startswith(("//", "~")):
        raise ValueError("must be written as file:PATH, without // and ~ (value not shown)")
    return SecretRef(scheme, str((base / locator).absolute()))


def place_webhook(text: str, base: Path) -> str:
    """An address as it is, or a reference to one with its file made absolute under `base`."""
    return text if "://" in text else str(parse_reference(text, base))
