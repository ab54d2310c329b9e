"""What is written down of deeds: who asked, what was done, to what, and what it changed (pure).

No secret is in it, and no text that people have written for models: of the one it is told that it changed, of
the other how long it is, and its hash.
"""

import hashlib
from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from chatd.domain.ids import UserId
from chatd.domain.people.deeds import Deed
from chatd.kit.codec import encode, encode_text

CHANGES_BYTES_MAX = 16 * 1024
# Of one value that does not fit with the others: how much of it is kept.
_VALUE_BYTES_MAX = 256
# Instead of the value of a secret.
CHANGED = "changed"


class Via(StrEnum):
    """The way in."""

    TOKEN = "token"  # noqa: S105 - the name of a way in
    COOKIE = "cookie"
    PROXY = "proxy"
    # Before it is known who asks: signing in.
    DOOR = "door"
    # Nobody has asked: chores, and what is done at a start.
    SERVER = "server"
    # A command on the machine of the server, beside its data directory.
    TERMINAL = "terminal"


class AskedBy(Struct, frozen=True, kw_only=True):
    """Who asks, as it is written down. Made at the door (`Asked.by`), and handed on to what is recorded."""

    via: Via
    # Who acts. For a service that acts for somebody it is the service, and `on_behalf_of` is that user.
    actor_id: UserId | None = None
    on_behalf_of: UserId | None = None
    token_id: str | None = None
    address: str | None = None
    request_id: str | None = None


THE_SERVER = AskedBy(via=Via.SERVER)


class AuditDeed(StrEnum):
    """What was done. Of what was refused, a `Deed` is told instead."""

    SIGN_IN = "sign_in.begin"
    SIGN_IN_FAILED = "sign_in.fail"
    SIGN_IN_ENDED = "sign_in.end"

    USER_CREATED = "user.create"
    USER_CHANGED = "user.change"
    USER_SUSPENDED = "user.suspend"
    USER_ACTIVATED = "user.activate"
    USER_DELETED = "user.delete"
    USER_RESTORED = "user.restore"
    # A code that signs them in was made.
    USER_LINKED = "user.link"
    TOKEN_CREATED = "token.create"  # noqa: S105 - the name of a deed
    TOKEN_ROTATED = "token.rotate"  # noqa: S105 - as above
    TOKEN_REVOKED = "token.revoke"  # noqa: S105 - as above
    GROUP_CREATED = "group.create"
    GROUP_CHANGED = "group.change"
    GROUP_DELETED = "group.delete"
    MEMBER_ADDED = "group.add_member"
    MEMBER_REMOVED = "group.remove_member"
    SERVICE_CREATED = "service.create"
    SERVICE_CHANGED = "service.change"
    SERVICE_DELETED = "service.delete"

    CHAT_CREATED = "chat.create"
    CHAT_ARCHIVED = "chat.archive"
    CHAT_UNARCHIVED = "chat.unarchive"
    CHAT_DELETED = "chat.delete"
    # Removed by a chore, because its time was over.
    CHAT_PURGED = "chat.purge"
    CHAT_EXPORTED = "chat.export"
    # By an administrator who is nothing to the chat; once an hour.
    CHAT_READ = "chat.read"
    GRANT_PUT = "grant.put"
    GRANT_REMOVED = "grant.remove"
    LINK_CREATED = "link.create"
    LINK_CHANGED = "link.change"
    LINK_REVOKED = "link.revoke"
    TRANSFER_OFFERED = "transfer.offer"
    TRANSFER_ACCEPTED = "transfer.accept"
    TRANSFER_DECLINED = "transfer.decline"
    TRANSFER_WITHDRAWN = "transfer.withdraw"
    TRANSFER_FORCED = "transfer.force"

    PROVIDER_CREATED = "provider.create"
    PROVIDER_CHANGED = "provider.change"
    PROVIDER_DELETED = "provider.delete"
    MODEL_CREATED = "model.create"
    MODEL_CHANGED = "model.change"
    MODEL_DELETED = "model.delete"
    KEY_PUT = "key.put"
    KEY_REMOVED = "key.remove"
    SETTINGS_CHANGED = "settings.change"
    MCP_SERVER_CREATED = "mcp_server.create"
    MCP_SERVER_CHANGED = "mcp_server.change"
    MCP_SERVER_DELETED = "mcp_server.delete"
    RULE_ADDED = "rule.add"
    RULE_MOVED = "rule.move"
    RULE_REMOVED = "rule.remove"

    AUDIT_EXPORTED = "audit.export"
    CHORE_DONE = "chore.run"


class TargetKind(StrEnum):
    """To what it was done."""

    USER = "user"
    TOKEN = "token"  # noqa: S105 - the name of a kind
    SIGN_IN = "sign_in"
    GROUP = "group"
    SERVICE = "service"
    CHAT = "chat"
    # Of a chat, that somebody has read who is nothing to it.
    FILE = "file"
    PROVIDER = "provider"
    MODEL = "model"
    SETTINGS = "settings"
    MCP_SERVER = "mcp_server"
    RULE = "rule"
    AUDIT = "audit"
    CHORE = "chore"
    # Of the API, for what was refused before it was looked up.
    ROUTE = "route"


class AuditOutcome(StrEnum):
    DONE = "done"
    REFUSED = "refused"


# Of each field what it was and what it is, or a word about it.
Changes: TypeAlias = Mapping[str, object]
NO_CHANGES: Changes = {}


class AuditEntry(Struct, frozen=True, kw_only=True):
    """One deed. Names are looked up by who reads it, and not stored."""

    deed: AuditDeed | Deed
    target_kind: TargetKind
    target_id: str
    outcome: AuditOutcome = AuditOutcome.DONE
    changes: Changes = NO_CHANGES


class AuditNote(Struct, frozen=True):
    """A row that is to be written with a deed of a chat, by `transact`."""

    by: AskedBy
    entry: AuditEntry


def chat_note(by: AskedBy, deed: AuditDeed, chat_id: str, changes: Changes = NO_CHANGES) -> AuditNote:
    entry = AuditEntry(deed=deed, target_kind=TargetKind.CHAT, target_id=chat_id, changes=changes)
    return AuditNote(by, entry)


def chore_done(name: str, **counts: int) -> AuditEntry:
    """What is written down of periodic work, in the transaction that does it."""
    return AuditEntry(deed=AuditDeed.CHORE_DONE, target_kind=TargetKind.CHORE, target_id=name, changes=counts)


def changes_between(
    before: Mapping[str, object],
    after: Mapping[str, object],
    *,
    secrets: Collection[str] = (),
    prompts: Collection[str] = (),
) -> Changes:
    """The fields that differ. One that is missing on a side is null there."""
    changes: dict[str, object] = {}
    for name in (*before, *(name for name in after if name not in before)):
        was, is_ = before.get(name), after.get(name)
        if was == is_:
            continue
        if name in secrets:
            changes[name] = CHANGED
        elif name in prompts:
            changes[name] = {"before": _of_prompt(was), "after": _of_prompt(is_)}
        else:
            changes[name] = {"before": was, "after": is_}
    return changes


def written_changes(changes: Changes) -> str:
    """As they are stored. What does not fit is told by its size."""
    text = encode_text(changes)
    if len(text.encode()) <= CHANGES_BYTES_MAX:
        return text
    short = {name: _short(value) for name, value in changes.items()}
    text = encode_text(short)
    return text if len(text.encode()) <= CHANGES_BYTES_MAX else encode_text({"fields": len(changes)})


def _short(value: object) -> object:
    size = len(encode(value))
    return value if size <= _VALUE_BYTES_MAX else {"bytes": size}


def _of_prompt(text: object) -> object:
    if not isinstance(text, str):
        return text if text is None else CHANGED
    return {"length": len(text), "sha256": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()}
