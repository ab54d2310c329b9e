"""The shapes of the audit."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, Raw, Struct

from chatd.domain.people.audit import AuditOutcome
from chatd.live.shapes import Moment
from chatd.storage.reads.audit import PAGE_ROWS_MAX

WORD_LENGTH_MAX = 200
CURSOR_LENGTH_MAX = 400
Word = Annotated[str, Meta(max_length=WORD_LENGTH_MAX)]


class FindAudit(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is not named is not looked at."""

    actor: Annotated[Word | None, Meta(description="The id of a user who has done it.")] = None
    deed: Annotated[Word | None, Meta(description="Such as `user.suspend`.")] = None
    target: Annotated[Word | None, Meta(description="The id of what it was done to.")] = None
    outcome: AuditOutcome | None = None
    since: Annotated[Annotated[datetime, Meta(tz=True)] | None, Meta(description="Not before.")] = None
    until: Annotated[Annotated[datetime, Meta(tz=True)] | None, Meta(description="Before.")] = None


class ListAudit(FindAudit, frozen=True, kw_only=True, forbid_unknown_fields=True):
    order: Annotated[
        Literal["newest", "oldest"],
        Meta(
            description="With `oldest`, `next` is always there: who asks with it later gets what has come "
            "since, all of it and each once."
        ),
    ] = "newest"
    cursor: Annotated[
        Annotated[str, Meta(max_length=CURSOR_LENGTH_MAX)] | None,
        Meta(description="`next` of the page before."),
    ] = None
    limit: Annotated[int, Meta(ge=1, le=PAGE_ROWS_MAX)] = 100


class ExportAudit(FindAudit, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: Annotated[
        Literal["ndjson", "csv"], Meta(description="A line of JSON for each entry, or a table.")
    ] = "ndjson"


class AuditUser(Struct, frozen=True, kw_only=True):
    id: str
    name: Annotated[str | None, Meta(description="As it is now; null when the user is gone.")]


class AuditEntryView(Struct, frozen=True, kw_only=True):
    id: str
    at: Moment
    actor: Annotated[AuditUser | None, Meta(description="Who has done it; null: the server, or not known.")]
    on_behalf_of: Annotated[AuditUser | None, Meta(description="For whom a service has done it.")]
    via: Annotated[str, Meta(description="The way in: `token`, `cookie`, `proxy`, `door`, `server` …")]
    token_id: str | None
    address: Annotated[str | None, Meta(description="Removed after 90 days.")]
    request_id: str | None
    deed: str
    target_kind: str
    target_id: str
    target_name: Annotated[
        str | None,
        Meta(description="Of a user or a service, as it is now; null when it is gone or another thing."),
    ]
    outcome: AuditOutcome
    changes: Annotated[
        Raw,
        Meta(
            description="By field what was before and is now; `changed` for a secret, length and hash of "
            "a prompt.",
            extra_json_schema={"type": "object"},
        ),
    ]


class AuditPage(Struct, frozen=True, kw_only=True):
    entries: Annotated[
        tuple[AuditEntryView, ...], Meta(description="Only what is older than ten seconds: the rest comes.")
    ]
    next: str | None = None


class SealView(Struct, frozen=True, kw_only=True):
    number: int
    at: Moment
    up_to: Annotated[Moment, Meta(description="The time of the newest entry under it.")]
    hash: Annotated[str, Meta(description="Note it elsewhere: it tells whether all seals were made anew.")]


class AuditVerified(Struct, frozen=True, kw_only=True):
    intact: Annotated[bool, Meta(description="Whether every seal fits the entries under it.")]
    broken: Annotated[tuple[int, ...], Meta(description="The numbers of seals that do not, or are missing.")]
    seals: int
    entries: Annotated[int, Meta(description="Those under the seals.")]
    newest: SealView | None
