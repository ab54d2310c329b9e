"""What the audit tells of what administrators set up (pure): nothing that is secret, or may hold a secret."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from msgspec import Struct

from chatd.catalog.mcp.config import McpConfig, UnreadableServer
from chatd.catalog.models.options import CallOptions
from chatd.catalog.models.rows import ModelConfig, Provider, ProviderType, Unreadable
from chatd.domain.people.audit import (
    CHANGED,
    AuditDeed,
    AuditEntry,
    Changes,
    TargetKind,
    changes_between,
)

# Fields of values within a value have both names, with a dot.
# Headers and the arguments of programs often carry a key, and the address of a proxy its password. What is
# passed to providers as it is can be anything, also instructions for models.
_SECRETS = frozenset(
    {
        "settings.headers",
        "settings.proxy",
        "command",
        *(f"options.{name}" for name in CallOptions.__struct_fields__ if name in set(ProviderType)),
        "options.openaicompat",
    }
)
_ADDRESSES = frozenset({"base_url", "url", "icon_url", "oauth.auth_url", "oauth.token_url"})


def of_provider(
    deed: AuditDeed,
    before: Provider | Unreadable | None,
    after: Provider | None,
    *,
    has_new_key: bool = False,
) -> AuditEntry:
    target = after or before
    assert target is not None
    changes = dict(_between(before, after))
    if has_new_key:
        changes["api_key"] = CHANGED
    return AuditEntry(deed=deed, target_kind=TargetKind.PROVIDER, target_id=target.id, changes=changes)


def of_model(
    deed: AuditDeed, before: ModelConfig | Unreadable | None, after: ModelConfig | None
) -> AuditEntry:
    target = after or before
    assert target is not None
    return AuditEntry(
        deed=deed, target_kind=TargetKind.MODEL, target_id=target.id, changes=_between(before, after)
    )


def of_key(deed: AuditDeed, provider: Provider, user_id: str) -> AuditEntry:
    """A user's own."""
    changes = {"user_id": user_id, "api_key": CHANGED}
    return AuditEntry(deed=deed, target_kind=TargetKind.PROVIDER, target_id=provider.id, changes=changes)


def of_setting(name: str, before: Struct, after: Struct, *, is_prompt: bool) -> AuditEntry:
    changes = changes_between(_flat(before), _flat(after), prompts=("text",) if is_prompt else ())
    return AuditEntry(
        deed=AuditDeed.SETTINGS_CHANGED, target_kind=TargetKind.SETTINGS, target_id=name, changes=changes
    )


def of_mcp_server(
    deed: AuditDeed,
    before: McpConfig | UnreadableServer | None,
    after: McpConfig | None,
    *,
    has_new_secrets: bool = False,
) -> AuditEntry:
    target = after or before
    assert target is not None
    changes = dict(_between(before, after))
    if has_new_secrets:
        changes["secrets"] = CHANGED
    return AuditEntry(deed=deed, target_kind=TargetKind.MCP_SERVER, target_id=target.id, changes=changes)


def _between(before: Struct | None, after: Struct | None) -> Changes:
    """Of what is new only what was said of it, and of what goes only what it was called."""
    if after is None:
        assert before is not None
        return {name: getattr(before, name) for name in ("name", "model", "slug") if hasattr(before, name)}
    if before is None:
        usual = dict(
            zip(reversed(after.__struct_fields__), reversed(after.__struct_defaults__), strict=False)
        )
        said = {name: value for name, value in _fields(after).items() if value != usual.get(name)}
        return changes_between({}, _flattened(said), secrets=_SECRETS)
    return changes_between(_flat(before), _flat(after), secrets=_SECRETS)


def _fields(struct: Struct) -> dict[str, object]:
    return {name: getattr(struct, name) for name in struct.__struct_fields__ if name != "id"}


def _flat(struct: Struct) -> Mapping[str, object]:
    return _flattened(_fields(struct))


def _flattened(fields: Mapping[str, object]) -> Mapping[str, object]:
    flat: dict[str, object] = {}
    for name, value in fields.items():
        inner = {name: value}
        if isinstance(value, Struct):
            inner = {f"{name}.{field}": each for field, each in _fields(value).items()}
        flat |= {key: _told(key, each) for key, each in inner.items()}
    return flat


def _told(name: str, value: object) -> object:
    """Without what comes behind `?`, where some servers want a key."""
    if name not in _ADDRESSES or not isinstance(value, str):
        return value
    try:
        address = urlsplit(value)
        port = f":{address.port}" if address.port is not None else ""
    except ValueError:
        return CHANGED
    return f"{address.scheme}://{address.hostname or ''}{port}{address.path}"
