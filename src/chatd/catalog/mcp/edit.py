"""A change of an MCP server: what it is afterwards, and what goes with what it was. Pure.

A field that is not named stays. An empty secret removes it. What another way to sign in needed is removed
with it, so that no forgotten key is ever sent.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict, replace

from chatd.catalog.mcp.config import (
    AUTHORIZATION,
    AuthType,
    Availability,
    McpConfig,
    McpSecrets,
    OAuth,
)
from chatd.catalog.mcp.server import Transport
from chatd.errors import BadInput


class ServerEdit(Struct, frozen=True, kw_only=True):
    """The fields by the names that callers know."""

    display_name: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    icon_url: str | UnsetType | None = UNSET
    enabled: bool | UnsetType = UNSET
    availability: Availability | UnsetType = UNSET
    groups: tuple[str, ...] | UnsetType | None = UNSET
    transport: Transport | UnsetType = UNSET
    url: str | UnsetType | None = UNSET
    command: tuple[str, ...] | UnsetType = UNSET
    env: Mapping[str, str] | UnsetType | None = UNSET
    auth_type: AuthType | UnsetType = UNSET
    api_key_header: str | UnsetType = UNSET
    api_key_value: str | UnsetType | None = UNSET
    custom_headers: Mapping[str, str] | UnsetType | None = UNSET
    oauth2_client_id: str | UnsetType | None = UNSET
    oauth2_client_secret: str | UnsetType | None = UNSET
    oauth2_auth_url: str | UnsetType | None = UNSET
    oauth2_token_url: str | UnsetType | None = UNSET
    oauth2_revocation_url: str | UnsetType | None = UNSET
    oauth2_scopes: str | UnsetType | None = UNSET
    tool_allow_list: tuple[str, ...] | UnsetType = UNSET
    tool_deny_list: tuple[str, ...] | UnsetType = UNSET
    model_intent: bool | UnsetType = UNSET
    allow_in_plan_mode: bool | UnsetType = UNSET
    forward_identity: bool | UnsetType = UNSET
    connect_seconds: float | UnsetType = UNSET
    call_seconds: float | UnsetType = UNSET


# Fields that are kept as they are, and the names of some in the row.
_KEPT_AS: Mapping[str, str] = {
    **{name: name for name in ServerEdit.__struct_fields__ if name in McpConfig.__struct_fields__},
    "tool_allow_list": "allow",
    "tool_deny_list": "deny",
}

# Whose a field is that only one way to sign in has.
_MODES: Mapping[str, AuthType] = {
    "api_key_header": AuthType.API_KEY,
    "api_key_value": AuthType.API_KEY,
    "custom_headers": AuthType.CUSTOM_HEADERS,
    **{name: AuthType.OAUTH2 for name in ServerEdit.__struct_fields__ if name.startswith("oauth2_")},
}
# The fields of `OAuth` that callers set, and the empty value of each.
_OAUTH: Mapping[str, str | None] = {
    "client_id": "",
    "auth_url": "",
    "token_url": "",
    "revocation_url": None,
    "scopes": "",
}
_CLIENT = ("client_id", "auth_url", "token_url")


def edited(before: McpConfig, secrets: McpSecrets, edit: ServerEdit) -> tuple[McpConfig, McpSecrets]:
    """Raises BadInput when the fields do not go together, or a secret would be sent somewhere else."""
    given = {name: value for name, value in asdict(edit).items() if value is not UNSET}
    after = replace(before, **{_KEPT_AS[name]: value for name, value in given.items() if name in _KEPT_AS})
    _check_modes(after.auth_type, given)
    after = replace(after, oauth=_oauth_after(before, after, given))
    is_same_client = _oauth(before).client_id == _oauth(after).client_id
    kept = McpSecrets(
        api_key=given.get("api_key_value", secrets.api_key) or None,
        client_secret=given.get("oauth2_client_secret", secrets.client_secret if is_same_client else None)
        or None,
        headers=given.get("custom_headers", secrets.headers) or {},
        env=given.get("env", secrets.env) or {},
    )
    after, kept = _of_its_mode(after, kept)
    _check_destinations(before, after, kept, given)
    version = before.version + (sign_in_of(before) != sign_in_of(after))
    return with_names(replace(after, version=version), kept), kept


def sign_in_of(config: McpConfig) -> tuple[object, ...]:
    """What a sign-in was made for. When it changes, users have to sign in again."""
    oauth = _oauth(config)
    return config.url, config.auth_type, *(getattr(oauth, name) for name in (*_CLIENT, "revocation_url"))


def with_names(config: McpConfig, secrets: McpSecrets) -> McpConfig:
    """The row tells what is sealed beside it."""
    return replace(
        config,
        has_api_key=secrets.api_key is not None,
        has_client_secret=secrets.client_secret is not None,
        header_names=tuple(sorted(secrets.headers)),
        env_names=tuple(sorted(secrets.env)),
    )


def undiscovered(oauth: OAuth) -> OAuth:
    """What is left of it when nothing is believed that the server told."""
    forgotten = {name: _OAUTH[name] for name in oauth.discovered}
    given = {name: getattr(oauth, name) for name in _OAUTH}
    return OAuth(**{**given, **forgotten})


def _oauth(config: McpConfig) -> OAuth:
    return config.oauth or OAuth()


def _check_modes(mode: AuthType, given: Mapping[str, object]) -> None:
    for name, value in given.items():
        if value and _MODES.get(name, mode) is not mode:
            raise BadInput(
                "not_together", f"`{name}` goes with the auth_type `{_MODES[name].value}` alone.", field=name
            )


def _oauth_after(before: McpConfig, after: McpConfig, given: Mapping[str, Any]) -> OAuth | None:
    if after.auth_type is not AuthType.OAUTH2:
        return None
    oauth = _oauth(before)
    values = {
        name: given[f"oauth2_{name}"] or empty for name, empty in _OAUTH.items() if f"oauth2_{name}" in given
    }
    if after.url != before.url or not values.keys().isdisjoint(_CLIENT):
        # What another server told is not true of this one; and a client is the caller's as a whole, or ours.
        oauth = undiscovered(oauth)
    discovered = tuple(name for name in oauth.discovered if name not in values)
    return replace(oauth, **values, discovered=discovered)


def _of_its_mode(config: McpConfig, secrets: McpSecrets) -> tuple[McpConfig, McpSecrets]:
    mode = config.auth_type
    header = config.api_key_header if mode is AuthType.API_KEY else AUTHORIZATION
    return replace(config, api_key_header=header), McpSecrets(
        api_key=secrets.api_key if mode is AuthType.API_KEY else None,
        client_secret=secrets.client_secret if mode is AuthType.OAUTH2 else None,
        headers=secrets.headers if mode is AuthType.CUSTOM_HEADERS else {},
        env={} if config.is_remote else secrets.env,
    )


def _check_destinations(
    before: McpConfig, after: McpConfig, secrets: McpSecrets, given: Mapping[str, object]
) -> None:
    """A stored secret can be read by no one here, so it is not sent to a new address either."""
    moved = _origin(before.url) != _origin(after.url)
    tokens_moved = _origin(_oauth(before).token_url) != _origin(_oauth(after).token_url)
    held = {
        "api_key_value": secrets.api_key is not None and moved,
        "custom_headers": bool(secrets.headers) and moved,
        "oauth2_client_secret": secrets.client_secret is not None and tokens_moved,
    }
    for name, would_be_sent in held.items():
        if would_be_sent and name not in given:
            raise BadInput(
                "secret_needed",
                f"The stored `{name}` would be sent to another address.",
                field=name,
                hint=f"Give `{name}` together with the new address, or null to remove it.",
            )


def _origin(url: str | None) -> tuple[str, str]:
    try:
        address = urlsplit(url or "")
    except ValueError:
        return "", url or ""  # Refused by `checks.py`, with better words.
    return address.scheme, address.netloc
