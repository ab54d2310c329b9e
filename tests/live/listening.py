"""A viewer in a test: what they were told, and the picture it makes."""

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from chatd.api.chats.streams.frames import text_frames
from chatd.domain.ids import ChatId
from chatd.domain.message import Role
from chatd.domain.part import Text
from chatd.kit.concurrency.bell import Bell
from chatd.live.episodes.board import Board, Episode
from chatd.live.episodes.episode import EpisodeKey
from chatd.live.events import Batch
from chatd.live.live import Live
from chatd.live.watch import watch
from chatd.storage.transactions.transact import Store

CHAT = ChatId("chat")


def told(batch: Batch) -> list[dict[str, Any]]:
    """The events of a batch as a client decodes them."""
    return [event for frame in text_frames(batch) for event in json.loads(frame)]


def types(events: list[dict[str, Any]]) -> list[str]:
    return [event["type"] for event in events]


def say(board: Board, words: str, *, history: int, attempt: int = 1) -> Episode:
    """One part for each word."""
    episode = board.open(EpisodeKey(CHAT, history, attempt))
    for word in words.split():
        episode.add(Role.ASSISTANT, Text(text=word))
    return episode


class Watcher:
    """One viewer of one chat, who looks when the test says so."""

    def __init__(self, store: Store, live: Live, cursor: str | None = None) -> None:
        self.bell = Bell()
        self.picture = Picture()
        self.heard: list[dict[str, Any]] = []
        self._batches: AsyncIterator[Batch] = watch(
            store, live.board, live.clock, CHAT, cursor=cursor, bell=self.bell
        )

    async def next(self) -> list[dict[str, Any]]:
        """What the next batch tells."""
        events = told(await anext(self._batches))
        self.heard += events
        self.picture.apply(events)
        return events

    async def until(self, wanted: Callable[["Picture"], bool]) -> "Picture":
        """Look until the picture is as wanted. A test that never gets there runs into its time limit."""
        while not wanted(self.picture):
            await self.next()
        return self.picture

    async def leave(self) -> None:
        await self._batches.aclose()  # type: ignore[attr-defined]  # it is a generator


class Picture:
    """What a client makes of events, by the contract in docs/reference/streams.md."""

    def __init__(self) -> None:
        # Messages before this one are not told; who wants them asks for them.
        self.older_than = 0
        self.messages: dict[int, Any] = {}
        self.queue: list[Any] = []
        self.status: str | None = None
        self.error: str | None = None
        self.waiting: list[str] = []
        self.children: Any = None
        self.retry: int | None = None
        self.preview: list[str] = []
        self.seq = 0
        self.holes = False
        self.paused = False
        self.details: Any = None
        # Of those who have written, by id.
        self.names: dict[str, str] = {}
        self.cursor: str | None = None

    @property
    def said(self) -> str:
        """The words of the preview. A late viewer is told several pieces at once."""
        return "".join(self.preview)

    def apply(self, events: list[dict[str, Any]]) -> None:
        for event in events:
            self._apply(event)
            self.cursor = event["cursor"]

    def _apply(self, event: dict[str, Any]) -> None:  # noqa: C901, PLR0912 - one branch for each type
        match event["type"]:
            case "chat":
                self.details = event["chat"]
            case "participants":
                self.names |= {each["id"]: each["name"] for each in event["participants"]}
            case "older_messages":
                self.older_than = event["before_id"]
            case "message":
                self.messages[event["message"]["id"]] = event["message"]
            case "message_deleted":
                self.messages.pop(event["message_id"], None)
            case "queue_update":
                self.queue = event["queued_messages"]
            case "status":
                self.status = event["status"]
                if self.status != "error":
                    self.error = None
            case "error":
                self.error = event["message"]
            case "waiting_for":
                self.waiting = [each["tool_call_id"] for each in event["waiting_for"]]
            case "children":
                self.children = event["children"]
            case "retry":
                self.retry = event["attempt"]
            case "retry_over":
                self.retry = None
            case "preview_reset":
                self.preview, self.seq, self.holes = [], 0, False
            case "preview_paused":
                self.paused = event["paused"]
            case "message_part":
                assert event["seq"] > self.seq
                self.seq = event["seq"]
                self.preview.append(_words(event["part"]))
            case "gap" if event["what"] == "preview":
                self.holes = True
            case "gap":
                self.__init__()  # type: ignore[misc]  # they forget everything
            case "chat_deleted":
                pass
            case strange:
                raise AssertionError(strange)


def _words(part: dict[str, Any]) -> str:
    """What a piece adds: words, or some more of a call or of what a tool shows."""
    words: str = part.get("text") or part.get("args_delta") or part.get("result_delta") or ""
    return words
