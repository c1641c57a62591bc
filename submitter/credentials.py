"""Finds secrets by reference: in variables, in files, in the clouds' secret stores.

Every message names the reference and never the value, nor any part of it.
"""

from __future__ import annotations

import base64
import importlib
import json
import os
import re
import stat
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from submitter.core.fleet import SecretRef
from submitter.core.secrets import MaskedSecret
from submitter.errors import ConfigError, SecretOutOfReach, SecretUnusable

if TYPE_CHECKING:
    import requests
    from google.auth.exceptions import GoogleAuthError

MAX_BYTES = 65_536
STORE_TIMEOUT_S = 10.0
FIELD = "#"
"""`aws-secret:NAME#password`: one field of a secret that is a JSON object."""
GCP_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
GCP_ADDRESS = "https://secretmanager.googleapis.com/v1/{version}:access"
"""Source: https://cloud.google.com/secret-manager/docs/reference/rest/v1/
projects.secrets.versions/access, read 2026-11-30."""

_OPEN_TO_ALL = stat.S_IROTH | stat.S_IWOTH
_MAY_HAVE_LINES = re.compile(r"[\s\"'\\]*(?:\{|-----BEGIN|(?:ey|ew|LS0t)[A-Za-z0-9+/=\s]*\Z)")
"""JSON, PEM, and base64 of either."""

_NOT_UNICODE = re.compile("[\ud800-\udfff]")
"""How Python keeps bytes of a variable that are not UTF-8."""

Store = Callable[[str], str]
"""Takes what stands behind the scheme. Raises `NoSecret`."""


class NoSecret(Exception):
    """Why a reference leads to no secret; the text holds no part of one."""


class BadSecret(NoSecret):
    """As above, though something stands there."""


class StoreAway(NoSecret):
    """Nobody knows: the store did not answer, or not now."""


class EnvironmentSecrets:
    """Implements `ports.Secrets`; each reference is looked up once.

    `stores` are asked for the schemes that are neither `env` nor `file`.
    """

    def __init__(
        self,
        environ: Mapping[str, str],
        *,
        stores: Mapping[str, Store] | None = None,
    ) -> None:
        self._environ = environ
        self._stores = STORES if stores is None else stores
        self._known: dict[SecretRef, MaskedSecret] = {}

    def resolve(self, ref: SecretRef) -> MaskedSecret:
        """The secret; of `adc`, which is none, an empty one. Raises ConfigError."""
        if ref not in self._known:
            self._known[ref] = self._find(ref)
        return self._known[ref]

    def _find(self, ref: SecretRef) -> MaskedSecret:
        if ref.scheme == "adc":
            return MaskedSecret("", shown_as="adc")
        try:
            return MaskedSecret(_bare(self._text_of(ref)))
        except NoSecret as error:
            problem = str(error)
            kind = _KINDS.get(type(error), ConfigError)
        raise kind.one(str(ref), problem)

    def _text_of(self, ref: SecretRef) -> str:
        if ref.scheme == "env":
            return _read_variable(self._environ, ref.locator)
        if ref.scheme == "file":
            return _decode(_read_file(ref.locator))
        store = self._stores.get(ref.scheme)
        if store is None:
            raise NoSecret(f"nobody here knows the scheme {ref.scheme!r}")
        name, _, field = ref.locator.partition(FIELD)
        text = store(name)
        return _field(text, field) if field else text


_KINDS: Mapping[type[NoSecret], type[ConfigError]] = MappingProxyType(
    {BadSecret: SecretUnusable, StoreAway: SecretOutOfReach}
)


def _field(text: str, name: str) -> str:
    """One field of a secret that is a JSON object, as the stores' consoles make them."""
    try:
        found = json.loads(text)[name]
    except (ValueError, TypeError, KeyError, RecursionError):
        found = None
    if not isinstance(found, str):
        raise BadSecret(f"is no JSON object with a text {name!r}")
    return found


def _read_variable(environ: Mapping[str, str], name: str) -> str:
    text = environ.get(name)
    if text is None:
        raise NoSecret("the environment variable is not set")
    if _NOT_UNICODE.search(text):
        raise BadSecret("is not UTF-8 text")
    return text.removeprefix("\ufeff")


def _read_file(path: str) -> bytes:
    """The bytes of a plain file that not everybody on the machine can read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or "cannot be opened"
        kind = NoSecret if isinstance(error, FileNotFoundError) else BadSecret
    else:
        try:
            _check_file(os.fstat(descriptor), path)
            with open(descriptor, "rb", closefd=False) as file:
                return file.read(MAX_BYTES)
        finally:
            os.close(descriptor)
    raise kind(problem)


def _check_file(found: os.stat_result, path: str) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise BadSecret("is not a plain file")
    if os.name == "posix" and found.st_mode & _OPEN_TO_ALL:
        mode = stat.S_IMODE(found.st_mode)
        raise BadSecret(
            f"everybody on this machine can read it (mode {mode:04o}); run: chmod 600 {path}"
        )
    if found.st_size > MAX_BYTES:
        raise BadSecret(f"larger than {MAX_BYTES:,} bytes; is it the right file?")


def _decode(body: bytes) -> str:
    """Not by `except`: the error of a failed decoding holds the bytes."""
    text = body.decode("utf-8-sig", errors="replace")
    if "\ufffd" in text:
        raise BadSecret("is not UTF-8 text")
    return text


def _bare(text: str) -> str:
    """The secret without the line end that editors and stores put after it."""
    bare = text.removesuffix("\n").removesuffix("\r")
    if not bare.strip():
        raise BadSecret("is empty")
    if bare.splitlines() != [bare] and not _MAY_HAVE_LINES.match(bare):
        raise BadSecret("holds a line end; a secret is one line, unless it is JSON or PEM")
    return bare


def read_gcp_secret(resource: str) -> str:
    """A version of a secret in Google Secret Manager; the latest when none is named."""
    import google.auth
    from google.auth.exceptions import GoogleAuthError
    from google.auth.transport.requests import AuthorizedSession

    try:
        credentials, _ = google.auth.default(scopes=[GCP_SCOPE])
        session = AuthorizedSession(credentials)  # type: ignore[no-untyped-call]  # google-auth has no types
        session.trust_env = False
        return read_gcp_version(resource, session)
    except GoogleAuthError as error:
        refusal = refusal_of(error)
    raise refusal


def refusal_of(error: GoogleAuthError) -> NoSecret:
    """What it means that this machine could not log in at Google."""
    from google.auth.exceptions import TransportError

    if isinstance(error, TransportError) or error.retryable:
        return StoreAway("Google's login does not answer now")
    return NoSecret("this machine has no Google identity that may read it")


def read_gcp_version(resource: str, session: requests.Session) -> str:
    import requests

    version = resource if "/versions/" in resource else f"{resource}/versions/latest"
    address = GCP_ADDRESS.format(version=version)
    kind: type[NoSecret] = StoreAway
    try:
        answer = session.get(address, timeout=STORE_TIMEOUT_S, allow_redirects=False)
    except requests.RequestException as error:
        problem = f"Secret Manager could not be asked ({type(error).__name__})"
    else:
        if answer.status_code == requests.codes.ok:
            return _payload(answer.content)
        kind = _kind_of(answer.status_code)
        problem = f"Secret Manager answered {answer.status_code}"
    raise kind(problem)


def _kind_of(status: int) -> type[NoSecret]:
    """What an HTTP status of a store says: 429 and 5xx are not its last word."""
    return StoreAway if status == 429 or status >= 500 else NoSecret


def _payload(body: bytes) -> str:
    try:
        data = base64.b64decode(json.loads(body)["payload"]["data"], validate=True)
    except (ValueError, KeyError, TypeError):
        data = None
    if data is None:
        raise BadSecret("Secret Manager's answer holds no secret")
    return _decode(data)


def read_aws_secret(name: str, *, client: Any = None) -> str:
    """The current text of a secret in AWS Secrets Manager, by name or ARN."""
    kind: type[NoSecret] = NoSecret
    try:
        if client is None:
            client = _aws_client(name)
        return str(client.get_secret_value(SecretId=name)["SecretString"])
    except ImportError:
        problem = "needs the package boto3; run: pip install 'submitter[aws]'"
    except KeyError:
        problem = "is not text"
    except Exception as error:  # boto3's own classes are made at run time
        kind = _kind_of_boto(error)
        problem = f"AWS Secrets Manager could not be asked ({type(error).__name__})"
    raise kind(problem)


def _kind_of_boto(error: Exception) -> type[NoSecret]:
    exceptions = importlib.import_module("botocore.exceptions")
    if isinstance(error, exceptions.ClientError):
        code = str(error.response.get("Error", {}).get("Code", ""))
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        return StoreAway if "Throttl" in code else _kind_of(int(status))
    away = (
        *(exceptions.HTTPClientError, exceptions.ConnectionError),
        *(exceptions.CredentialRetrievalError, exceptions.MetadataRetrievalError),
    )
    return StoreAway if isinstance(error, away) else NoSecret


def _aws_client(name: str) -> Any:
    """In the region of the secret's ARN, where it has one.

    Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html, read 2026-11-30.
    """
    boto3 = importlib.import_module("boto3")
    settings = importlib.import_module("botocore.config").Config(
        connect_timeout=STORE_TIMEOUT_S, read_timeout=STORE_TIMEOUT_S, retries={"mode": "standard"}
    )
    parts = name.split(":")
    region = parts[3] if name.startswith("arn:") and len(parts) > 3 else None
    session = boto3.session.Session(region_name=region)
    return session.client("secretsmanager", config=settings)


STORES: Mapping[str, Store] = MappingProxyType(
    {"gcp-secret": read_gcp_secret, "aws-secret": read_aws_secret}
)
"""Stores are asked through libraries that are imported with the first question."""
