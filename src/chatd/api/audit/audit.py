"""The audit, for administrators and auditors: page by page, as a file, and whether somebody changed it."""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import AsyncIterator, Sequence
from datetime import datetime

import msgspec
from msgspec import Raw

from chatd.accounts.users import names_of
from chatd.api.audit.bodies import (
    AuditEntryView,
    AuditPage,
    AuditUser,
    AuditVerified,
    ExportAudit,
    FindAudit,
    ListAudit,
    SealView,
)
from chatd.api.audit.written import COLUMNS, csv_line, ndjson_line
from chatd.api.bodies import Nothing
from chatd.api.router import Asked, Streamed
from chatd.domain.ids import UserId
from chatd.domain.people.audit import AuditDeed, AuditEntry, AuditOutcome, TargetKind
from chatd.errors import BadInput
from chatd.kit.clock import rfc3339
from chatd.kit.codec import encode
from chatd.kit.text import is_plain
from chatd.storage.database import Database
from chatd.storage.reads.audit import (
    PAGE_ROWS_MAX,
    AuditFilter,
    AuditPlace,
    AuditRow,
    Order,
    read_audit,
)
from chatd.storage.tables.audit import record
from chatd.storage.tables.audit_seals import Seal, verify_audit

# Of one file.
EXPORTED_ROWS_MAX = 1_000_000
MEDIA_TYPES = {"ndjson": "application/x-ndjson", "csv": "text/csv"}
MEDIA = tuple(MEDIA_TYPES.values())
ORDERS = {"newest": Order.NEWEST, "oldest": Order.OLDEST}

_place = msgspec.json.Decoder(AuditPlace)


async def list_(asked: Asked[ListAudit, Nothing]) -> AuditPage:
    query = asked.query
    place = _place_at(query.cursor) if query.cursor is not None else None
    rows = await read_audit(
        asked.store.db, _filter(query), order=ORDERS[query.order], place=place, limit=query.limit + 1
    )
    page = rows[: query.limit]
    last = page[-1].place if page else place
    goes_on = len(rows) > query.limit or query.order == "oldest"
    return AuditPage(
        entries=tuple(await _views(asked.store.db, page)),
        next=_cursor_of(last) if goes_on and last is not None else None,
    )


async def export(asked: Asked[ExportAudit, Nothing]) -> Streamed:
    """Who takes it along is written down first, with what was looked for."""
    query = asked.query
    wanted = _filter(query)
    looked_for = {
        name: getattr(query, name) for name in query.__struct_fields__ if getattr(query, name) is not None
    }
    entry = AuditEntry(
        deed=AuditDeed.AUDIT_EXPORTED, target_kind=TargetKind.AUDIT, target_id="audit", changes=looked_for
    )
    await asked.store.db.write(lambda tx: record(tx, asked.by, entry))
    name = f"audit.{query.format}"
    return Streamed(
        pieces=_pieces(asked, wanted),
        media_type=MEDIA_TYPES[query.format],
        headers={"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"},
    )


async def verify(asked: Asked[Nothing, Nothing]) -> AuditVerified:
    found = await verify_audit(asked.store.db)
    return AuditVerified(
        intact=not found.broken,
        broken=found.broken,
        seals=found.seals,
        entries=found.entries,
        newest=_seal_view(found.newest) if found.newest is not None else None,
    )


async def _pieces(asked: Asked[ExportAudit, Nothing], wanted: AuditFilter) -> AsyncIterator[bytes]:
    is_csv = asked.query.format == "csv"
    if is_csv:
        yield csv_line(COLUMNS)
    place: AuditPlace | None = None
    for _ in range(0, EXPORTED_ROWS_MAX, PAGE_ROWS_MAX):
        rows = await read_audit(asked.store.db, wanted, place=place)
        views = await _views(asked.store.db, rows)
        if views:
            yield b"".join(csv_line(_cells(view)) if is_csv else ndjson_line(view) for view in views)
        if len(rows) < PAGE_ROWS_MAX:
            return
        place = rows[-1].place


# Kinds of what is a user.
USERS = frozenset({TargetKind.USER, TargetKind.SERVICE})


async def _views(db: Database, rows: Sequence[AuditRow]) -> list[AuditEntryView]:
    ids = {user_id for row in rows for user_id in (row.actor_id, row.on_behalf_of) if user_id is not None}
    ids |= {UserId(row.target_id) for row in rows if row.target_kind in USERS}
    names = await names_of(db, ids) if ids else {}

    def user(user_id: str | None) -> AuditUser | None:
        return AuditUser(id=user_id, name=names.get(user_id)) if user_id is not None else None

    return [
        AuditEntryView(
            id=row.id,
            at=rfc3339(row.at),
            actor=user(row.actor_id),
            on_behalf_of=user(row.on_behalf_of),
            via=row.via,
            token_id=row.token_id,
            address=row.address,
            request_id=row.request_id,
            deed=row.deed,
            target_kind=row.target_kind,
            target_id=row.target_id,
            target_name=names.get(UserId(row.target_id)) if row.target_kind in USERS else None,
            outcome=AuditOutcome(row.outcome),
            changes=Raw(row.changes.encode()),
        )
        for row in rows
    ]


def _cells(view: AuditEntryView) -> list[str]:
    actor, other = view.actor, view.on_behalf_of
    cells = [
        view.at,
        view.id,
        actor.id if actor else None,
        actor.name if actor else None,
        other.id if other else None,
        other.name if other else None,
        view.via,
        view.token_id,
        view.address,
        view.request_id,
        view.deed,
        view.target_kind,
        view.target_id,
        view.outcome,
        bytes(view.changes).decode(),
    ]
    return [cell or "" for cell in cells]


def _filter(query: FindAudit) -> AuditFilter:
    for name in ("actor", "deed", "target"):
        given = getattr(query, name)
        if given is not None and not is_plain(given):
            raise BadInput("bad_value", "There is no such id or deed.", field=name)
    bounds = {name: _micros(moment) for name in ("since", "until") if (moment := getattr(query, name))}
    return AuditFilter(
        actor_id=query.actor, deed=query.deed, target_id=query.target, outcome=query.outcome, **bounds
    )


def _micros(moment: datetime) -> int:
    # Before 1970 there was nothing; and an hour more or less of the year 1 must not be too much.
    return max(0, round(moment.timestamp() * 1_000_000))


def _cursor_of(place: AuditPlace) -> str:
    return urlsafe_b64encode(encode(place)).rstrip(b"=").decode("ascii")


def _place_at(cursor: str) -> AuditPlace:
    try:
        place = _place.decode(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, binascii.Error, msgspec.DecodeError) as error:
        raise _malformed() from error
    if not 0 <= place.at < 2**62 or not is_plain(place.id):
        raise _malformed()
    return place


def _malformed() -> BadInput:
    return BadInput(
        "bad_cursor",
        "This cursor does not come from a page of the audit.",
        field="cursor",
        hint="Use `next` of the page before, unchanged, or leave it out to start again.",
    )


def _seal_view(seal: Seal) -> SealView:
    return SealView(number=seal.number, at=rfc3339(seal.at), up_to=rfc3339(seal.up_to_at), hash=seal.hash)
