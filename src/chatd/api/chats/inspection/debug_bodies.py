"""The shapes of debug records on the wire. A step is the same there as in the database."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from chatd.records.run import RecordStatus, RunKind, RunSummary, Step


class DebugRunView(Struct, frozen=True, kw_only=True):
    """The record of a turn."""

    id: str
    chat_id: str
    parent_chat_id: str | None
    root_chat_id: str | None
    kind: Annotated[
        RunKind,
        Meta(
            description="`compaction`: a user asked for a summary. `text`: it is about the chat, "
            "such as its title."
        ),
    ]
    status: RecordStatus
    provider: str
    model: str
    trigger_message_id: Annotated[int, Meta(description="The message that the turn answers.")]
    tip_message_id: Annotated[int, Meta(description="The newest message that a model was sent.")]
    summary: RunSummary
    started_at: str
    updated_at: str
    finished_at: str | None
    # Of one run alone; a list would be long.
    steps: Annotated[
        tuple[Step, ...] | UnsetType,
        Meta(description="Every model call, and every round trip of each. Secrets are hidden."),
    ] = UNSET


class DebugRunList(Struct, frozen=True, kw_only=True):
    runs: tuple[DebugRunView, ...]
