"""Streams that break, and a client that comes back."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, TypeVar

import pytest

from chatd.client import ApiError, AsyncClient, Unreachable
from chatd.client.events import (
    ChatGone,
    Event,
    MessageSaved,
    PartSpoken,
    StatusChanged,
    UnknownEvent,
    WaitingForChanged,
    WatchEvent,
    event_of,
    watch_event_of,
)
from chatd.domain.ids import ChatId
from chatd.domain.message import Role
from chatd.domain.part import Text
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.live.episodes.episode import EpisodeKey
from chatd.storage.transactions.transact import Store
from tests.client.speaker import Plays, gone, part, speaking, status
from tests.support.served import served
from tests.words import call, question, says, step

E = TypeVar("E")


async def heard(events: AsyncGenerator[Event, None]) -> list[str]:
    """Every event until the last, as a word or two."""
    async with aclosing(events):
        return [_word(event) async for event in events]


def _word(event: Event) -> str:
    match event:
        case StatusChanged(status=word):
            return word
        case PartSpoken(part=spoken):
            return spoken.text
        case UnknownEvent(type=kind):
            return f"unknown {kind}"
        case _:
            return type(event).__name__


async def test_a_broken_stream_goes_on_from_its_last_event() -> None:
    async with speaking(
        Plays(events=[("1", status("running")), ("2", part("Ma", 1))]),
        Plays(events=[("3", part("rs.", 2))]),
        Plays(events=[("4", status("waiting")), ("5", gone())]),
    ) as (speaker, client, naps):
        assert await heard(client.stream("c")) == ["running", "Ma", "rs.", "waiting", "ChatGone"]

        assert speaker.asked == [("/api/v1/chats/c/stream", cursor) for cursor in (None, "2", "3")]
        assert naps.seconds == [0.25, 0.25]


async def test_a_stream_begins_at_a_cursor_that_was_kept() -> None:
    async with speaking(Plays(events=[("8", gone())])) as (speaker, client, _):
        assert await heard(client.stream("c", "7")) == ["ChatGone"]
        assert speaker.asked == [("/api/v1/chats/c/stream", "7")]


async def test_a_stream_that_ended_politely_is_taken_up_again() -> None:
    async with speaking(
        Plays(events=[("1", status("running"))], breaks=False), Plays(events=[("2", gone())])
    ) as (speaker, client, _):
        assert await heard(client.stream("c")) == ["running", "ChatGone"]
        assert [cursor for _, cursor in speaker.asked] == [None, "1"]


@pytest.mark.parametrize("trouble", [429, 500, 502, 503])
async def test_trouble_that_passes_is_waited_out_longer_each_time(trouble: int) -> None:
    async with speaking(
        Plays(status=trouble), Plays(), Plays(status=trouble), Plays(events=[("1", gone())])
    ) as (_, client, naps):
        assert await heard(client.stream("c")) == ["ChatGone"]
        assert naps.seconds == [0.25, 0.5, 1.0]


async def test_an_event_ends_the_count_of_failures() -> None:
    flaky = [Plays(events=[(str(n), status("running"))]) for n in range(10)]
    async with speaking(*flaky, Plays(events=[("11", gone())])) as (_, client, naps):
        assert len(await heard(client.stream("c"))) == 11
        assert naps.seconds == [0.25] * 10


async def test_after_enough_attempts_it_is_given_up() -> None:
    async with speaking(*[Plays()] * 4) as (speaker, client, _):
        with pytest.raises(Unreachable):
            await heard(client.stream("c"))
        assert len(speaker.asked) == 4


@pytest.mark.parametrize("refusal", [400, 401, 403, 404, 410])
async def test_a_refusal_is_not_asked_again(refusal: int) -> None:
    async with speaking(Plays(events=[("1", status("running"))]), Plays(status=refusal)) as (
        speaker,
        client,
        _,
    ):
        with pytest.raises(ApiError) as refused:
            await heard(client.stream("c"))
        assert (refused.value.status, refused.value.hint, len(speaker.asked)) == (refusal, "Go.", 2)


async def test_a_server_that_is_gone_is_given_up_in_the_end() -> None:
    async with speaking() as (speaker, _, naps):
        address = speaker.address
    async with AsyncClient(address, "t", clock=naps, chance=lambda: 0.0, attempts_max=3) as client:
        with pytest.raises(Unreachable, match="Cannot reach"):
            await heard(client.stream("c"))
    assert naps.seconds == [0.125, 0.25]


async def test_events_of_a_newer_server_are_passed_on_as_they_are() -> None:
    newer: dict[str, Any] = {"type": "mood", "chat_id": "c", "mood": "good"}
    changed: dict[str, Any] = {"type": "status", "chat_id": "c", "status": ["not", "a", "word"]}
    more = status("waiting") | {"since": 3}
    events = [("1", newer), ("2", changed), ("3", more), ("4", gone())]
    async with speaking(Plays(events=events)) as (_, client, _naps):
        assert await heard(client.stream("c")) == ["unknown mood", "unknown status", "waiting", "ChatGone"]


def test_what_cannot_be_read_at_all_is_still_an_event() -> None:
    assert event_of("3") == UnknownEvent(type="", cursor="", data=3)
    assert watch_event_of("3").type == ""


async def test_a_watched_list_goes_on_too() -> None:
    created = {"type": "created", "chat_id": "c", "chat": {"id": "c", "title": "t", "status": "running"}}
    async with speaking(
        Plays(events=[("1", created)]), Plays(events=[("2", {"type": "deleted", "chat_id": "c"})])
    ) as (speaker, client, _):
        async with aclosing(client.watch()) as events:
            first, second = await anext(events), await anext(events)
        assert (first.type, first.chat and first.chat.title) == ("created", "t")
        assert (second.type, second.chat_id, second.chat) == ("deleted", "c", None)
        assert speaker.asked[1] == ("/api/v1/chats/watch", "1")


class Listener:
    """Reads a stream until what a test waits for."""

    def __init__(self, events: AsyncGenerator[Event, None]) -> None:
        self._events = events

    async def until(self, kind: type[E]) -> E:
        async for event in self._events:
            if isinstance(event, kind):
                return event
        raise AssertionError("the stream has ended")


async def test_a_real_stream_tells_what_happens(store: Store) -> None:
    async with served(store) as server, AsyncClient(server.address, server.token) as client:
        chat = await client.create_chat("Name a planet.")
        async with aclosing(client.stream(chat.id)) as events:
            listener = Listener(events)
            assert (await listener.until(MessageSaved)).message.text == "Name a planet."
            assert (await listener.until(StatusChanged)).status == "running"

            done = await server.happens(chat.id, BeginAttempt())
            key = EpisodeKey(ChatId(chat.id), done.chat.versions.history, done.chat.versions.attempt)
            server.live.board.open(key).add(Role.ASSISTANT, Text(text="Ma"))
            assert (await listener.until(PartSpoken)).part.text == "Ma"

            plans = (question("ask"),)
            await server.happens(chat.id, step(says("Mars.", call("ask")), plans=plans), RequireAction())
            assert (await listener.until(MessageSaved)).message.text == "Mars."
            (awaited,) = (await listener.until(WaitingForChanged)).waiting_for
            assert (awaited.tool_call_id, awaited.kind) == ("ask", "answer")
            await client.delete_chat(chat.id)
            await listener.until(ChatGone)


async def test_a_real_stream_is_resumed_without_repeating_anything(store: Store) -> None:
    async with served(store) as server, AsyncClient(server.address, server.token) as client:
        chat = await client.create_chat("Name a planet.")
        async with aclosing(client.stream(chat.id)) as events:
            cursor = (await Listener(events).until(StatusChanged)).cursor
        await server.happens(chat.id, step(says("Mars.")), FinishTurn())

        async with aclosing(client.stream(chat.id, cursor)) as events:
            listener = Listener(events)
            assert (await listener.until(MessageSaved)).message.text == "Mars."
            assert (await listener.until(StatusChanged)).status == "waiting"


async def test_a_client_outlives_the_restart_of_its_server(store: Store) -> None:
    async with served(store) as server:
        address, token = server.address, server.token
        client = AsyncClient(address, token, chance=lambda: 0.0)
        await client.__aenter__()
        chat = await client.create_chat("Name a planet.")
        events = client.stream(chat.id)
        await Listener(events).until(StatusChanged)
    try:
        port = int(address.rpartition(":")[2])
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(Listener(events).until(MessageSaved))
            async with served(store, port) as server:
                await server.happens(chat.id, step(says("Mars.")), FinishTurn())
                assert (await waiting).message.text == "Mars."
                await events.aclose()
    finally:
        await client.__aexit__(None, None, None)


async def test_the_list_of_chats_is_watched(store: Store) -> None:
    async def titled(events: AsyncGenerator[WatchEvent, None]) -> str:
        async for event in events:
            if event.chat is not None and event.chat.title == "Planets":
                return event.chat_id
        raise AssertionError("the stream has ended")

    async with (
        served(store) as server,
        AsyncClient(server.address, server.token) as client,
        aclosing(client.watch()) as events,
    ):
        assert (await anext(events)).type == "gap"
        chat = await client.create_chat("Name a planet.", title="Planets")
        assert await titled(events) == chat.id
