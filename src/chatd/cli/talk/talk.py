"""A talk in the terminal.

Four things go on at once: the stream of the chat is shown, lines are read, what could not be sent is tried
again, and the line of status counts seconds. What is typed while the agent works waits in the queue. Ctrl-C
stops the agent; twice within two seconds, it leaves the program.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import aclosing, suppress
from functools import partial
from typing import Any

from msgspec import UNSET, UnsetType

from chatd.cli.talk.answers.answering import SKIP, Answering
from chatd.cli.talk.choice import Choice
from chatd.cli.talk.commands.offers import completer_for
from chatd.cli.talk.commands.table import command_named, is_command
from chatd.cli.talk.drawing.screen import PlainScreen, RowScreen, is_coloured
from chatd.cli.talk.sending.outbox import PIPE_TRIES_MAX, TERMINAL_TRIES_MAX, Outbox
from chatd.cli.talk.sending.typed import Deed, Message
from chatd.cli.talk.showing.activity import Activity
from chatd.cli.talk.showing.banner import banner
from chatd.cli.talk.showing.pieces import Piece, Tone
from chatd.cli.talk.showing.status_line import Facts, note_message, status_line
from chatd.cli.talk.showing.transcript import Transcript
from chatd.cli.talk.typing.ending import Ended, Pressed
from chatd.cli.talk.typing.history import typed_before
from chatd.cli.talk.typing.keyboard import Keyboard, is_terminal
from chatd.cli.talk.typing.terminal import Aids
from chatd.client import ApiError, AsyncClient, Unreachable
from chatd.client.answers import Awaited, Chat, Sent
from chatd.client.events import ChatDescribed, Event, MessageSaved, QueueUpdated
from chatd.errors import Unusable

LEAVE_SECONDS = 2.0
# How often in a row the stream is begun anew at a terminal: each time takes about two minutes.
FOLLOWED_MAX = 30
# How often the line of status is drawn while it counts.
TICK_SECONDS = 1.0

PLANS = "The agent plans: it looks around and proposes a plan. /act lets it change things."
ACTS = "The agent does what it is asked. /plan has it propose a plan first."
ASKED_MEANWHILE = "The agent has asked something while you typed. Read it, and answer it first."
AWAY = "The server is away. What you type is kept, and sent when it is back."
BACK = "The server is back."


class Talk:
    def __init__(self, client: AsyncClient, choice: Choice) -> None:
        self.client = client
        self.chat_id: str | None = None
        self.model = choice.model
        self.effort = choice.effort
        self.workspace = choice.workspace
        self.mode: str | UnsetType = "plan" if choice.plan else UNSET
        self.facts = Facts(model=choice.model or "", effort=choice.effort or "", plans=choice.plan)
        # Files that go along with the next message.
        self.files: list[Mapping[str, Any]] = []
        # The message that the next line replaces.
        self.editing: int | None = None
        self.transcript = Transcript()
        self.leaves = False
        self._keys: Keyboard | None = None
        self._screen = RowScreen(self._columns) if is_terminal() else PlainScreen()
        self._activity = Activity(time.monotonic)
        self._answering = Answering()
        tries_max = TERMINAL_TRIES_MAX if is_terminal() else PIPE_TRIES_MAX
        self._outbox = Outbox(tell=self.note, back=self._come_back, tries_max=tries_max)
        self._group = asyncio.TaskGroup()
        self._follower: asyncio.Task[None] | None = None
        self._cursor: str | None = None
        self._moved = asyncio.Event()
        self._pressed_at = -LEAVE_SECONDS

    def aids(self) -> Aids:
        """What helps while one types at a terminal."""
        if not is_terminal():
            return Aids()
        return Aids(
            history=typed_before(),
            completer=completer_for(self),
            status=self._status,
            answers=self._answers_by_key,
            unfold=self.unfold,
            coloured=is_coloured(),
        )

    async def run(self, keys: Keyboard, chat: Chat | None, first: str | None = None) -> None:
        self._keys = keys
        if not keys.waits_at_end:
            for line in await banner(self.client, chat, self.workspace, self.model):
                self.note(line)
        if chat is not None:
            self._know(chat)
            if self.mode == "plan":
                await self.plan(is_on=True)
        try:
            async with self._group as group:
                beside = [group.create_task(self._outbox.run()), group.create_task(self._tick())]
                self._follow_anew()
                if first is not None:
                    await self.send(first)
                await self._listen(keys)
                for task in (*beside, *([self._follower] if self._follower is not None else [])):
                    task.cancel()
        finally:
            self._give_up()
        await self.tell_what_was_read()
        if not keys.waits_at_end and first is None and (chat is None or self.chat_id != chat.id):
            self._say_how_to_come_back()

    # What commands do.

    async def send(self, words: str, *, when: str | None = None) -> None:
        files, self.files = tuple(self.files), []
        self.facts.files = 0
        await self._outbox.send(Message(self.client, self, words, when=when, files=files))

    async def do(self, words: str, deed: Callable[[], Awaitable[object]]) -> None:
        """Now, or when the server is back."""
        await self._outbox.send(Deed(words, deed))

    def note(self, words: str, tone: Tone = Tone.NOTE) -> None:
        self._show(self.transcript.note(words, tone))

    def begin_with(self, text: str) -> None:
        if self._keys is not None:
            self._keys.begin_with(text)

    async def go_to(self, chat: Chat | None) -> None:
        """Talk in another chat; None: in a new one."""
        await self.tell_what_was_read()
        if self._follower is not None:
            self._follower.cancel()
            self._follower = None
        self._show(self.transcript.end_line())
        self.chat_id, self._cursor, self.editing = None, None, None
        self.transcript, self._activity, self._answering = Transcript(), Activity(time.monotonic), Answering()
        self.facts = Facts(model=self.model or "", effort=self.effort or "")
        if chat is not None:
            self.workspace, self.mode = UNSET, UNSET
            self._know(chat)
            self._follow_anew()

    async def plan(self, *, is_on: bool) -> None:
        """Of a chat that does not exist yet, it is said with the first message."""
        if self.chat_id is None:
            self.mode = "plan" if is_on else UNSET
        else:
            await self.client.change_chat(self.chat_id, mode="plan" if is_on else None)
        self.facts.plans = is_on
        self.note(PLANS if is_on else ACTS)

    def asked(self) -> Awaited | None:
        """What a person can answer, of what the chat waits for."""
        if self.transcript.status != "requires_action":
            return None
        return next((a for a in self.transcript.waiting_for if a.kind in ("approval", "answer")), None)

    async def answer(self, chat_id: str, awaited: Awaited, line: str) -> None:
        if awaited.kind == "approval" and self._keys is not None and self._keys.was_begun_before:
            self.note(f"{ASKED_MEANWHILE} Not sent: {line}")
            return
        said = self._answering.take(awaited, line)
        if said.note is not None:
            self.note(said.note)
        if said.approvals or said.answers:
            given = partial(self.client.submit, chat_id, approvals=said.approvals, answers=said.answers)
            await self.do(line, given)

    def unfold(self) -> None:
        """Show the newest thoughts, and from now on all of them, or none any more."""
        if not isinstance(self._screen, RowScreen):
            return
        drawing = self._screen.drawing
        drawing.fold = not drawing.fold
        thoughts = drawing.thoughts.strip()
        self.note("Thoughts are folded." if drawing.fold else "Thoughts are shown. Ctrl-T folds them.")
        if not drawing.fold and thoughts:
            self.note(thoughts, Tone.REASONING)

    # What the sending of messages asks of us.

    def begun(self, chat: Chat) -> None:
        self.transcript.status = chat.status
        self._know(chat)
        self._follow_anew()

    def sent(self, sent: Sent) -> None:
        # Until the stream says so too. It may have, if this is the answer to a second try.
        if sent.message is not None and sent.message.id > self.transcript.newest:
            self.transcript.status = "running"

    async def tell_what_was_read(self) -> None:
        """So that other windows do not show it as unread."""
        if self.chat_id is not None and self.transcript.newest:
            with suppress(ApiError, Unreachable):
                await self.client.change_chat(self.chat_id, last_read_message_id=self.transcript.newest)

    def _say_how_to_come_back(self) -> None:
        if self.chat_id is not None:
            self.note(f"`chatd chat {self.chat_id}` goes on from here.")

    def _know(self, chat: Chat) -> None:
        facts = self.facts
        self.chat_id = facts.chat_id = chat.id
        facts.title = chat.title
        facts.cost_micros, facts.counted_id = chat.cost_micros_total, chat.last_message_id or 0
        facts.model = self.model or chat.last_model or facts.model
        facts.effort = self.effort or chat.last_reasoning_effort or ""
        facts.plans = chat.mode == "plan"

    # What is shown.

    def _columns(self) -> int:
        columns = getattr(self._keys, "columns", None)
        return columns() if callable(columns) else 80

    def _come_back(self) -> None:
        """The server answers again: connect the stream at once, and not after its pause."""
        self._follow_anew()
        self._show(())

    def _follow_anew(self) -> None:
        """From the last event on."""
        if self.chat_id is None:
            return
        if self._follower is not None:
            self._follower.cancel()
        self._follower = self._group.create_task(self._follow(self.chat_id))

    async def _follow(self, chat_id: str) -> None:
        for again in range(FOLLOWED_MAX):
            try:
                stream = self.client.stream(chat_id, self._cursor, connection=self._connected)
                async with aclosing(stream) as events:
                    async for event in events:
                        self._cursor = event.cursor or self._cursor
                        self._see(event)
                return
            except Unreachable as error:
                if (self._keys is not None and self._keys.waits_at_end) or again + 1 == FOLLOWED_MAX:
                    raise
                self.note(f"{error} Trying again.")

    def _connected(self, connection: str) -> None:
        self.facts.away = connection == "lost"
        if self._keys is not None and not self._keys.waits_at_end:
            self.note(AWAY if self.facts.away else BACK)

    def _see(self, event: Event) -> None:
        self._activity.see(event)
        match event:
            case MessageSaved(message=message):
                note_message(self.facts, message)
                self.facts.model = self.model or message.model or self.facts.model
            case ChatDescribed(chat=described):
                self.facts.title = str(described.get("title", self.facts.title))
                self.facts.plans = described.get("mode") == "plan"
            case QueueUpdated(queued_messages=queued):
                self.facts.queued = len(queued)
            case _:
                pass
        self._show(self.transcript.pieces_of(event))
        self._moved.set()

    def _show(self, pieces: Iterable[Piece]) -> None:
        self._screen.show_all(pieces)
        if self._keys is not None:
            self._keys.show(self._question(), self._screen.being_said())

    def _status(self, columns: int) -> str:
        return status_line(self.facts, self._activity.words(), self._activity.seconds, columns)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_SECONDS)
            if self._activity.is_counting or self.asked() is not None:
                self._show(())

    # What is typed.

    async def _listen(self, keys: Keyboard) -> None:
        while not self.leaves:
            try:
                line = (await keys.read(self._question())).strip()
            except Pressed:
                if await self._stop():
                    return
                continue
            except Ended:
                if keys.waits_at_end:
                    await self._outbox.wait_until_empty()
                    await self._until_rest()
                return
            try:
                await self._obey(line)
            except (ApiError, Unreachable, Unusable) as error:
                # A refusal is shown and the chat goes on; the words stay on the screen to be copied.
                words = "" if is_command(line) else f" Not sent: {line}"
                self.note(f"{error}{words}")

    async def _obey(self, line: str) -> None:
        asked = self.asked()
        if not line:
            return
        if self.editing is not None and not is_command(line):
            await self._replace(self.editing, said(line))
        elif line == SKIP and self.chat_id is not None and asked is not None:
            await self.answer(self.chat_id, asked, line)
        elif is_command(line):
            name, _, rest = line.partition(" ")
            await command_named(name)(self, rest.strip())
        elif self.chat_id is not None and asked is not None:
            await self.answer(self.chat_id, asked, said(line))
        else:
            await self.send(said(line))

    async def _replace(self, message_id: int, words: str) -> None:
        self.editing = None
        assert self.chat_id is not None
        await self.client.edit(
            self.chat_id, message_id, words, model=self.model, reasoning_effort=self.effort
        )

    def _question(self) -> str:
        if not self._outbox.is_empty:
            return "(not sent)> "
        if self.editing is not None:
            return "edit> "
        if (asked := self.asked()) is not None:
            return self._answering.prompt(asked)
        return "…> " if self.transcript.busy else "> "

    def _answers_by_key(self) -> Mapping[str, str]:
        asked = self.asked()
        return self._answering.keys(asked) if asked is not None and self.editing is None else {}

    async def _stop(self) -> bool:
        """Whether to leave."""
        now = asyncio.get_running_loop().time()
        again = now - self._pressed_at < LEAVE_SECONDS
        self._pressed_at = now
        if again:
            return True
        if self.editing is not None:
            self.editing = None
            self.note("The message stays as it was.")
            return False
        if self._give_up():
            return False
        if self.chat_id is None or not (self.transcript.busy or self.transcript.waiting_for):
            self.note("Press Ctrl-C again to leave.")
            return False
        await self.stop(self.chat_id)
        return False

    async def stop(self, chat_id: str) -> None:
        try:
            await self.client.interrupt(chat_id)
            self.note("Stopping the agent. Press Ctrl-C again to leave; it goes on without you.")
        except (ApiError, Unreachable) as error:
            self.note(str(error))

    def _give_up(self) -> bool:
        """Show what will not be sent any more, so that it can be copied. Whether there was anything."""
        unsent = self._outbox.give_up()
        for words in unsent:
            self.note(f"Not sent:\n{words}")
        return bool(unsent)

    async def _until_rest(self) -> None:
        """The input has ended; wait for the reply to what was sent."""
        while self.chat_id is not None and (self.transcript.busy or not self.transcript.status):
            self._moved.clear()
            await self._moved.wait()


def said(line: str) -> str:
    """To begin a message with a slash, one writes two."""
    return line.removeprefix("/") if line.startswith("//") else line
