"""What the clouds' own packages do for us: find credentials, get tokens, sign. All of it blocks.

The packages are extras and have the same parent, `load`, so that nothing is imported before it is needed.
"""

import calendar
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from msgspec import Struct

from chatd.domain.ids import SECOND
from chatd.errors import ProviderError
from chatd.providers.credentials.secret import Secret

GOOGLE_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
# A service account names the address of its tokens itself, and a user who may enter a key could enter any
# address: the server would call it from within its own network.
GOOGLE_TOKEN_URI = "https://oauth2.googleapis.com/token"  # noqa: S105
AZURE_SCOPE = "https://cognitiveservices.azure.com/.default"
AWS_SERVICE = "bedrock"

# Two or three parts, as one text: the id, the secret, and for a while a session.
_AWS_KEYS = re.compile(r"(?P<id>A[KS]IA[A-Z0-9]{12,}):(?P<secret>[^:\s]+)(?::(?P<session>\S+))?")

# Imports a module by its name.
Load: TypeAlias = Callable[[str], Any]


class Token(Struct, frozen=True):
    text: Secret
    ends_micros: int


def is_aws_keys(key: str) -> bool:
    return _AWS_KEYS.fullmatch(key) is not None


def is_service_account(key: str) -> bool:
    """Google's service accounts are files of JSON."""
    return key.lstrip().startswith("{")


def aws_keys(load: Load, key: Secret | None) -> Any:
    """The keys that are given, or the machine's own. botocore renews them by itself."""
    if key is not None:
        parts = _AWS_KEYS.fullmatch(key.reveal())
        assert parts is not None
        credentials = _package(load, "botocore.credentials", "aws").Credentials
        return credentials(parts["id"], parts["secret"], parts["session"])
    session = _package(load, "botocore.session", "aws")
    try:
        found = session.get_session().get_credentials()
    except Exception as error:
        raise _refused("AWS", error) from error
    if found is None:
        raise _refused("AWS", None)
    return found


def aws_signature(load: Load, keys: Any, region: str, url: str, body: bytes) -> Mapping[str, str]:
    """Headers that sign this request. Looks for newer keys where the old ones end."""
    auth = _package(load, "botocore.auth", "aws")
    requests = _package(load, "botocore.awsrequest", "aws")
    request = requests.AWSRequest(method="POST", url=url, data=body)
    try:
        auth.SigV4Auth(keys, AWS_SERVICE, region).add_auth(request)
    except Exception as error:
        raise _refused("AWS", error) from error
    return {name.lower(): value for name, value in request.headers.items()}


def google_token(load: Load, key: Secret | None) -> Token:
    """For the service account that is given, or for the machine's own account."""
    accounts = _package(load, "google.oauth2.service_account", "google")
    auth = _package(load, "google.auth", "google")
    transport = _package(load, "google.auth.transport.requests", "google")
    try:
        if key is not None:
            info = json.loads(key.reveal()) | {"token_uri": GOOGLE_TOKEN_URI}
            found = accounts.Credentials.from_service_account_info(info, scopes=[GOOGLE_SCOPE])
        else:
            found, _ = auth.default(scopes=[GOOGLE_SCOPE])
        found.refresh(transport.Request())
    except Exception as error:
        raise _refused("Google", error) from error
    # Google's package says UTC without saying so.
    return Token(Secret(found.token), calendar.timegm(found.expiry.utctimetuple()) * SECOND)


def azure_token(load: Load) -> Token:
    identity = _package(load, "azure.identity", "azure")
    try:
        with identity.DefaultAzureCredential() as found:
            token = found.get_token(AZURE_SCOPE)
    except Exception as error:
        raise _refused("Azure", error) from error
    return Token(Secret(token.token), int(token.expires_on) * SECOND)


def _package(load: Load, name: str, extra: str) -> Any:
    try:
        return load(name)
    except ImportError as error:
        raise ProviderError(
            "config",
            "This provider cannot be called. The server lacks a package that its credentials need.",
            fault="package_missing",
            detail=f'Install it where the server runs: pip install "chatd[{extra}]".',
        ) from error


def _refused(cloud: str, error: Exception | None) -> ProviderError:
    """Without the words of the error, in which there may be anything."""
    return ProviderError(
        "auth",
        f"The server has no valid credentials for {cloud}.",
        fault="cloud_credentials",
        # Some failures are only the network's, and their package knows.
        retryable=bool(getattr(error, "retryable", False)),
        detail=type(error).__name__ if error is not None else "None were found on the machine it runs on.",
    )
