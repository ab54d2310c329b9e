"""Columns ↔ MCP servers, as `queries/catalog/mcp.sql` names them."""

from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from chatd.catalog.mcp.config import McpConfig, McpSecrets, UnreadableServer
from chatd.catalog.mcp.edit import with_names
from chatd.domain.ids import UserId
from chatd.kit.codec import encode_text
from chatd.storage.database import Row

_COLUMNS = ("id", "owner_id", "slug", "enabled", "availability", "version")
# What a word or a document raises that this program does not know.
_UNKNOWN = (ValueError, TypeError, RecursionError, msgspec.MsgspecError)


class StoredServer(Struct, frozen=True, kw_only=True):
    """A row: the server, what is sealed beside it, and which state of it this is."""

    server: McpConfig | UnreadableServer
    sealed: str | None
    revision: int


def stored(row: Row) -> StoredServer:
    *_, sealed, revision = row
    return StoredServer(server=server(row), sealed=sealed, revision=revision)


def server(row: Row) -> McpConfig | UnreadableServer:
    id_, owner_id, slug, enabled, availability, version, document, sealed, _ = row
    owner = UserId(owner_id) if owner_id is not None else None
    try:
        fields = msgspec.json.decode(document, type=dict[str, Any])
        columns = dict(zip(_COLUMNS, (id_, owner, slug, bool(enabled), availability, version), strict=True))
        config = msgspec.convert({**fields, **columns}, McpConfig)
    except _UNKNOWN as error:
        reason = f"A newer version of chatd has written it, or it is damaged: {str(error).rstrip('.')}."
        return UnreadableServer(id=id_, owner_id=owner, slug=slug, availability=availability, reason=reason)
    # Secrets that were forgotten, because they could not be opened any more, are not there.
    return config if sealed is not None else with_names(config, McpSecrets())


def columns_of(config: McpConfig, sealed: str | None) -> tuple[Any, ...]:
    _, _, *changes = changes_of(config, sealed, revision=0)
    return config.id, config.owner_id, config.slug, *changes


def changes_of(config: McpConfig, sealed: str | None, *, revision: int) -> tuple[Any, ...]:
    return (
        config.id,
        revision,
        config.enabled,
        config.availability.value,
        config.version,
        _document(config),
        sealed,
        config.groups is not None,
    )


def _document(config: McpConfig) -> str:
    fields: dict[str, Any] = msgspec.to_builtins(replace(config, declared=False))
    if config.groups is None:
        # Older servers can read it then.
        del fields["groups"]
    return encode_text({name: value for name, value in fields.items() if name not in _COLUMNS})
