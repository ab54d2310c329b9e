"""Each field of what is told of a chat was decided on: everybody who may read it sees it, or its owner alone.

A new field fails here until somebody has written it down, on one side or the other.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from msgspec import Struct
from msgspec.structs import replace
from starlette.types import ASGIApp

from chatd.api.bodies import CarriedChat, CarriedMessage, ChatView, SharedChatView, SharedSubmitted, Submitted
from chatd.api.files.transfer import carried_shared
from chatd.domain.approvals.rule import AddRule, KeptRule, Rule, Verdict
from chatd.domain.ids import ChatId, Micros
from chatd.domain.message import Cost, Usage
from chatd.domain.part import (
    ContextFile,
    File,
    FileReference,
    HookNotice,
    Part,
    Reasoning,
    Skill,
    Source,
    Text,
    ToolCall,
    ToolResult,
)
from chatd.domain.transitions.chat.change_rules import ChangeRules
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.live.episodes.episode import LivePart, ToolCallPiece, ToolResultPiece
from chatd.live.events import ViewerEvent
from chatd.live.guests.events import GuestDetails, GuestEvent
from chatd.live.guests.messages import GuestMessage
from chatd.live.guests.parts import (
    GuestCall,
    GuestCallPiece,
    GuestFile,
    GuestReasoning,
    GuestResult,
    GuestResultPiece,
    GuestSource,
    GuestText,
)
from chatd.live.kinds import ChatDetails, SharedDetails
from chatd.live.lists.events import FeedEvent, ListedChat, SharedListedChat
from chatd.live.restricted import (
    SharedFailure,
    SharedMessage,
    SharedRetry,
    SharedTurnEnd,
    SharedWaiting,
)
from chatd.live.shapes import (
    FailureView,
    MessageView,
    RetryView,
    TurnEndView,
    WaitingFor,
)
from chatd.storage.reads.read import read_export
from chatd.storage.tables.search import index_chat
from chatd.storage.transactions.transact import Store, transact
from tests.api.chats.sharing.words import share, somebody
from tests.api.client import CHATS, Client
from tests.traceability import proves
from tests.words import failure, says, step

SETUP = {
    "instructions", "client_tools", "client_deadline_seconds", "options", "workspace", "mcp_servers", "mode",
    "delegation",
}  # fmt: skip
OF_CHAT = {
    "labels", "key", "branch", "branch_count", "usage_total", "cost_micros_total", "unpriced_calls",
    "context_dirty_since", *SETUP,
}  # fmt: skip
# By what stands for them where less is shown: the fields that are the owner's.
OWNERS_ALONE: Mapping[tuple[type[Struct], type[Struct]], set[str]] = {
    (ChatView, SharedChatView): OF_CHAT,
    (Submitted, SharedSubmitted): OF_CHAT,
    (ChatDetails, SharedDetails): {"labels", "pin_order", "branch", "branch_count", "context_dirty_since"},
    (ListedChat, SharedListedChat): {"labels", "shared", "context_dirty_since"},
    (MessageView, SharedMessage): {"usage", "runtime_ms", "first_ms", "cost_micros"},
    (TurnEndView, SharedTurnEnd): set(),
    (FailureView, SharedFailure): {"detail", "provider", "status_code"},
    (RetryView, SharedRetry): {"provider", "status_code"},
    (WaitingFor, SharedWaiting): {"approval"},
}
# By what guests are told of them: the fields that they are not.
NOT_OF_GUESTS: Mapping[tuple[type[Struct], type[Struct]], set[str]] = {
    (MessageView, GuestMessage): set(MessageView.__struct_fields__)
    - {"id", "role", "content", "created_at"},
    (ChatDetails, GuestDetails): set(ChatDetails.__struct_fields__) - {"title"},
    (Text, GuestText): set(),
    (Reasoning, GuestReasoning): {"created_at", "completed_at"},
    (ToolCall, GuestCall): {
        "kind", "mcp_server_config_id", "parsed_commands", "provider_executed", "hook_rewritten",
        "created_at",
    },
    (ToolResult, GuestResult): {
        "is_media", "mcp_server_config_id", "provider_executed", "created_at", "duration_ms", "decision",
    },
    (Source, GuestSource): set(),
    (File, GuestFile): {"size_bytes"},
    (ToolCallPiece, GuestCallPiece): {"kind"},
    (ToolResultPiece, GuestResultPiece): {"created_at", "started_at"},
}  # fmt: skip
# What they are told in events, without a cursor and without which chat it is.
EVENTS_OF_GUESTS: Mapping[str, set[str]] = {
    "chat": {"chat"},
    "older_messages": {"before"},
    "message": {"message"},
    "message_part": {"role", "part"},
    "preview_reset": set(),
    "gap": {"what"},
    "access_ended": set(),
}
# What events carry beside what is asked about above.
EVENTS: Mapping[str, set[str]] = {
    "chat": {"chat"},
    "participants": {"participants"},
    "older_messages": {"before_id"},
    "message": {"message"},
    "message_deleted": {"message_id"},
    "queue_update": {"queued_messages", "queue_length"},
    "status": {"status"},
    "error": set(FailureView.__struct_fields__),
    "waiting_for": {"waiting_for"},
    "children": {"children"},
    "retry": set(RetryView.__struct_fields__),
    "retry_over": set(),
    "held_up": {"held_up"},
    "preview_reset": set(),
    "preview_paused": {"paused"},
    "message_part": {"role", "part", "history_version", "generation_attempt", "seq"},
    "gap": {"what"},
    "chat_deleted": set(),
    "access_ended": set(),
}
# The same of events of lists, which tell of chats of others as well.
LIST_EVENTS: Mapping[str, set[str]] = {
    "created": {"chat"},
    "status_change": {"chat"},
    "title_change": {"chat"},
    "details_change": {"chat"},
    "context_dirty": {"chat"},
    "summary_change": {"chat"},
    "chat_summary_change": {"chat"},
    "children_change": {"chat"},
    "deleted": set(),
    "gap": {"what"},
    "list_paused": {"paused"},
    "offers_change": {"count"},
    "access_ended": set(),
}
# Of an export, what an import reads back or people read, and every reader may know.
CARRIED = {
    "format", "version", "title", "messages", "plans", "children", "files", "created_at", "updated_at",
    "last_turn_summary", "summary",
}  # fmt: skip
CARRIED_OF_OWNER = {"labels", "usage_total", "cost_micros_total", "unpriced_calls"} | SETUP - {
    "workspace",
    "mcp_servers",
}


@pytest.mark.parametrize(("whole", "part"), OWNERS_ALONE, ids=lambda each: each.__name__)
def test_every_field_is_for_all_readers_or_for_the_owner_alone(
    whole: type[Struct], part: type[Struct]
) -> None:
    assert set(whole.__struct_fields__) - set(part.__struct_fields__) == OWNERS_ALONE[whole, part]
    assert set(part.__struct_fields__) <= set(whole.__struct_fields__)


@pytest.mark.parametrize(("whole", "part"), NOT_OF_GUESTS, ids=lambda each: each.__name__)
def test_every_field_is_for_guests_or_not(whole: type[Struct], part: type[Struct]) -> None:
    assert set(whole.__struct_fields__) - set(part.__struct_fields__) == NOT_OF_GUESTS[whole, part]
    assert set(part.__struct_fields__) <= set(whole.__struct_fields__)


def test_every_kind_of_part_is_for_guests_or_not() -> None:
    """A kind that is added later is not, until somebody says so."""
    shown = {whole for whole, _ in NOT_OF_GUESTS}

    assert set(Part.__args__) - shown == {FileReference, ContextFile, Skill, HookNotice}
    assert set(LivePart.__args__) <= shown


def test_every_event_of_guests_carries_what_was_decided_on() -> None:
    carried = {each.__struct_config__.tag: set(each.__struct_fields__) for each in GuestEvent.__args__}

    assert carried == EVENTS_OF_GUESTS


@pytest.mark.parametrize(("events", "decided"), [(ViewerEvent, EVENTS), (FeedEvent, LIST_EVENTS)])
def test_every_event_carries_what_was_decided_on(events: Any, decided: Mapping[str, set[str]]) -> None:
    carried = {
        each.__struct_config__.tag: set(each.__struct_fields__) - {"chat_id", "cursor"}
        for each in events.__args__
    }

    assert carried == decided


async def test_every_field_of_an_export_was_decided_on(client: Client, store: Store) -> None:
    chat = await client.start_chat("hello", labels={"team": "a"}, instructions="Be kind.")
    found = await read_export(store.db, ChatId(chat["id"]))
    assert found is not None

    assert set(CarriedChat.__struct_fields__) == CARRIED | CARRIED_OF_OWNER
    told = msgspec.to_builtins(carried_shared(found))
    given = {name for name, value in told.items() if value not in (None, {}, [], ())}
    assert given <= CARRIED
    of_message = {"usage", "runtime_ms", "cost_micros"}
    assert set(CarriedMessage.__struct_fields__) - of_message == {
        "role", "content", "for_people_only", "model", "reasoning_effort", "key", "created_at",
    }  # fmt: skip


MARKS = ("MARK", "7654321", "7654322", "7654323", "7654324", "7654325")


@proves("people", 24)
@pytest.mark.parametrize("role", ["reader", "writer"])
async def test_nothing_of_the_owners_is_in_any_answer_event_or_export_for_others(
    app: ASGIApp, store: Store, client: Client, role: str
) -> None:
    chat_id = await _marked_chat(client, store)
    anna, _ = await somebody(app, store, "anna")
    await share(client, chat_id, "user/anna", role)
    await index_chat(store.db, ChatId(chat_id))

    told = await _everything_told(anna, chat_id)
    await client.post(f"{CHATS}/{chat_id}/messages", {"content": [{"type": "text", "text": "QUEUED"}]})
    told |= {f"queued: {name}": body for name, body in (await _everything_told(anna, chat_id)).items()}
    if role == "writer":
        sent = await anna.post(f"{CHATS}/{chat_id}/messages", {"content": [{"type": "text", "text": "hi"}]})
        stopped = await anna.post(f"{CHATS}/{chat_id}/interrupt", {})
        told |= {"sent": sent.body, "stopped": stopped.body}
    else:
        assert not [name for name, body in told.items() if b"QUEUED" in body]
    failed = replace(failure(), detail="MARKdetail", provider="MARKprovider")
    await transact(store, ChatId(chat_id), FailTurn(failure=failed)) if role == "reader" else None
    told |= {f"failed: {name}": body for name, body in (await _everything_told(anna, chat_id)).items()}

    assert [(name, mark) for name, body in told.items() for mark in MARKS if mark.encode() in body] == []
    # They are there: the owner is told of each.
    owners = b"".join((await _everything_told(client, chat_id)).values())
    assert [mark for mark in MARKS if mark.encode() not in owners] == []


async def _marked_chat(client: Client, store: Store) -> str:
    tool = {"name": "MARKtool", "description": "MARKtold", "input_schema": {"type": "object"}}
    chat = await client.start_chat(
        "hello there",
        labels={"MARKlabel": "MARKvalue"},
        key="MARKkey",
        instructions="MARKinstructions",
        client_tools=[tool],
        options={"max_output_tokens": 7654321},
    )
    chat_id = ChatId(chat["id"])
    reply = replace(
        says("hi", usage=Usage(input_tokens=7654322, output_tokens=1)),
        cost=Cost(micros=7654323, source="reported"),
        runtime_ms=7654324,
        first_ms=7654325,
    )
    await transact(store, chat_id, step(reply))
    rule = KeptRule(rule=Rule(verdict=Verdict.ALLOW, tool="MARKrule"), created_at=Micros(1))
    await transact(store, chat_id, ChangeRules(changes=(AddRule(kept=rule),)))
    return chat_id


async def _everything_told(who: Client, chat_id: str) -> dict[str, bytes]:
    path = f"{CHATS}/{chat_id}"
    asked = [
        path, f"{path}/messages", f"{path}/messages?branch=1", f"{path}/prompts", f"{path}/children",
        f"{path}/branches", f"{path}/plans", f"{path}/rules", f"{path}/context", f"{path}/prompt",
        f"{path}/export", f"{path}/export?format=markdown", f"{path}/debug/runs", f"{path}/checkpoints",
        f"{path}/grants", f"{path}/transfer", f"/api/v1/permits?chat={chat_id}",
        CHATS, f"{CHATS}?source=shared", f"{CHATS}?source=shared&q=hello",
    ]  # fmt: skip
    told = {each: (await who.ask("GET", each)).body for each in asked}
    stream = await who.ask("GET", f"{path}/stream", headers={"accept": "text/event-stream"})
    assert b"event: message\n" in stream.body
    watch = await who.ask("GET", f"{CHATS}/watch", headers={"accept": "text/event-stream"})
    marked = await who.put(f"{path}/mark", {"muted": False})
    return told | {"stream": stream.body, "watch": watch.body, "mark": marked.body}
