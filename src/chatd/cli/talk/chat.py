"""chatd chat: talk in the terminal.

Three things go on at once: the stream of the chat is shown, lines are read, and what could not be sent is
tried again. What is typed while the agent works waits in the queue. Ctrl-C stops the agent; twice within two
seconds, it leaves the program.
"""

import asyncio
import re
from collections.abc import Iterable
from contextlib import aclosing, suppress
from functools import partial

import click
from msgspec import UNSET, Struct, UnsetType

from chatd.cli.catalog.model import choices
from chatd.cli.chats.chat_id import find_chat
from chatd.cli.context import run_loop
from chatd.cli.remote import client_from
from chatd.cli.talk.answers.answering import SKIP, Answering
from chatd.cli.talk.keyboard import Ended, Keyboard, Pressed, keyboard
from chatd.cli.talk.outbox import PIPE_TRIES_MAX, TERMINAL_TRIES_MAX, Outbox
from chatd.cli.talk.place import check_workspace, place_in_words, waiting_for_trust
from chatd.cli.talk.rows import Rows
from chatd.cli.talk.screen import Screen
from chatd.cli.talk.transcript import Piece, Transcript
from chatd.cli.talk.typed import Deed, Message
from chatd.client import ApiError, AsyncClient, Unreachable
from chatd.client.answers import Awaited, Chat, Sent
from chatd.errors import ChatdError, Unusable

LEAVE_SECONDS = 2.0
# How often in a row the stream is begun anew at a terminal: each time takes about two minutes.
FOLLOWED_MAX = 30

HELP = (
    "/steer TEXT is heard between two steps, /model NAME is used from the next message on, /retry tries a "
    "failed turn again, /plan has the agent propose a plan before it changes anything, /act ends that, /quit "
    "leaves. Ctrl-C stops the agent. To begin a message with /, write //."
)
PLANS = "The agent plans: it looks around and proposes a plan. /act lets it change things."
ACTS = "The agent does what it is asked. /plan has it propose a plan first."
ASKED_MEANWHILE = "The agent has asked something while you typed. Read it, and answer it first."
_MODES = {"/plan": True, "/act": False}
_COMMAND = re.compile(r"/[a-z]+")


class Choice(Struct, frozen=True, kw_only=True):
    """What the user chose for the chat when they called us."""

    model: str | None
    effort: str | None = None
    workspace: str | UnsetType = UNSET
    plan: bool = False


def run(
    *,
    chat_id: str | None,
    model: str | None,
    effort: str | None,
    workspace: str | None,
    plan: bool,
    **flags: object,
) -> None:
    if workspace is not None and chat_id is not None:
        raise click.UsageError("A chat keeps its workspace: leave out the ID, or --workspace.")
    place = UNSET if workspace is None else workspace
    choice = Choice(model=model, effort=effort, workspace=place, plan=plan)
    run_loop(talk_in_terminal(client_from(flags), chat_id, choice))


async def talk_in_terminal(
    client: AsyncClient, chat_id: str | None, choice: Choice, *, first: str | None = None
) -> None:
    """Until the user leaves. `first` is said before anything is typed."""
    try:
        async with client, keyboard() as keys:
            if chat_id is not None:
                chat_id = await find_chat(client, chat_id)
            talk = Talk(client, keys, chat_id, choice)
            # Ask the server now, so that one that cannot be reached is told before the user types.
            chat = await client.chat(chat_id) if chat_id is not None else None
            if chat is None:
                await client.chats(limit=1)
            if isinstance(choice.workspace, str):
                await check_workspace(client, choice.workspace)
            if choice.model is not None:
                await check_model(client, choice.model)
            if chat is not None and choice.plan:
                await talk.plan(is_on=True)
            if not keys.waits_at_end:
                await talk.say_where(chat)
            await talk.run(first)
            await talk.tell_what_was_read()
            if chat_id is None and first is None and not keys.waits_at_end:
                talk.say_how_to_come_back()
    except BaseExceptionGroup as group:
        # Of what ends all of them, the first is the reason.
        known, _ = group.split(ChatdError)
        if known is None:
            raise
        raise known.exceptions[0] from group


async def check_model(client: AsyncClient, name: str) -> None:
    """Raises Unusable when no model has this name, before the user types."""
    models = await client.models()
    if not any(name in (each.name, each.model) for each in models):
        raise Unusable(f"There is no model {name!r}. {choices(models)}")


class Talk:
    def __init__(self, client: AsyncClient, keys: Keyboard, chat_id: str | None, choice: Choice) -> None:
        self.chat_id = chat_id
        self.model = choice.model
        self.effort = choice.effort
        self.workspace = choice.workspace
        self.mode: str | UnsetType = "plan" if choice.plan else UNSET
        self._client = client
        self._keys = keys
        self._screen = Screen()
        self._rows = Rows(lambda: keys.columns() or 1) if keys.columns() is not None else None
        self._transcript = Transcript()
        self._answering = Answering()
        tries_max = PIPE_TRIES_MAX if keys.waits_at_end else TERMINAL_TRIES_MAX
        self._outbox = Outbox(tell=self._note, back=self._come_back, tries_max=tries_max)
        self._group = asyncio.TaskGroup()
        self._follower: asyncio.Task[None] | None = None
        self._cursor: str | None = None
        self._moved = asyncio.Event()
        self._pressed_at = -LEAVE_SECONDS

    async def run(self, first: str | None = None) -> None:
        try:
            async with self._group as group:
                sender = group.create_task(self._outbox.run())
                self._follow_anew()
                if first is not None:
                    await self._outbox.send(Message(self._client, self, first))
                await self._listen()
                sender.cancel()
                if self._follower is not None:
                    self._follower.cancel()
        finally:
            self._give_up()

    def begun(self, chat: Chat) -> None:
        self.chat_id = chat.id
        self._transcript.status = chat.status
        self._follow_anew()

    def sent(self, sent: Sent) -> None:
        # Until the stream says so too. It may have, if this is the answer to a second try.
        if sent.message is not None and sent.message.id > self._transcript.newest:
            self._transcript.status = "running"

    async def say_where(self, chat: Chat | None) -> None:
        for told in (place_in_words, waiting_for_trust):
            if (words := await told(self._client, chat, self.workspace)) is not None:
                self._note(words)

    async def plan(self, *, is_on: bool) -> None:
        """Of a chat that does not exist yet, it is said with the first message."""
        if self.chat_id is None:
            self.mode = "plan" if is_on else UNSET
        else:
            await self._client.change_chat(self.chat_id, mode="plan" if is_on else None)
        self._note(PLANS if is_on else ACTS)

    async def tell_what_was_read(self) -> None:
        """So that other windows do not show it as unread."""
        if self.chat_id is not None and self._transcript.newest:
            with suppress(ApiError, Unreachable):
                await self._client.change_chat(self.chat_id, last_read_message_id=self._transcript.newest)

    def say_how_to_come_back(self) -> None:
        if self.chat_id is not None:
            self._note(f"`chatd chat {self.chat_id}` goes on from here.")

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
                async with aclosing(self._client.stream(chat_id, self._cursor)) as events:
                    async for event in events:
                        self._cursor = event.cursor or self._cursor
                        self._show(self._transcript.pieces_of(event))
                        self._moved.set()
                return
            except Unreachable as error:
                if self._keys.waits_at_end or again + 1 == FOLLOWED_MAX:
                    raise
                self._note(f"{error} Trying again.")

    def _show(self, pieces: Iterable[Piece]) -> None:
        for piece in pieces:
            for shown in self._rows.add(piece) if self._rows is not None else (piece,):
                self._screen.show(shown)
        self._keys.show(self._question(), self._rows.open_row if self._rows is not None else "")

    def _note(self, words: str) -> None:
        self._show(self._transcript.note(words))

    async def _listen(self) -> None:
        while True:
            try:
                line = await self._keys.read(self._question())
            except Pressed:
                if await self._stop():
                    return
                continue
            except Ended:
                if self._keys.waits_at_end:
                    await self._outbox.wait_until_empty()
                    await self._until_rest()
                return
            if line.strip() == "/quit":
                return
            try:
                await self._obey(line.strip())
            except (ApiError, Unreachable, Unusable) as error:
                # A refusal is shown and the chat goes on; the words stay on the screen to be copied.
                words = "" if _COMMAND.match(line) else f" Not sent: {line.strip()}"
                self._note(f"{error}{words}")

    async def _obey(self, line: str) -> None:
        command, _, rest = line.partition(" ")
        if not line:
            return
        if command == "/model":
            await self._choose(rest.strip())
        elif line in _MODES:
            await self.plan(is_on=_MODES[line])
        elif line == SKIP and self.chat_id is not None and (awaited := self._asked()) is not None:
            await self._answer(self.chat_id, awaited, line)
        elif command == "/help" or (_COMMAND.fullmatch(command) and command not in ("/retry", "/steer")):
            self._note(HELP if command == "/help" else f"There is no {command}. {HELP}")
        elif self.chat_id is None and command in ("/retry", "/steer"):
            self._note("Nothing was said yet.")
        elif self.chat_id is not None and command == "/retry":
            chat_id = self.chat_id
            await self._outbox.send(Deed(line, lambda: self._client.retry(chat_id)))
        elif command == "/steer":
            await self._outbox.send(Message(self._client, self, rest, when="steer"))
        elif self.chat_id is not None and (awaited := self._asked()) is not None:
            await self._answer(self.chat_id, awaited, _said(line))
        else:
            await self._outbox.send(Message(self._client, self, _said(line)))

    async def _choose(self, name: str) -> None:
        if not name:
            raise Unusable("Say which: /model NAME. `chatd model ls` lists them.")
        await check_model(self._client, name)
        self.model = name
        self._note(f"{name} is used from the next message on.")

    async def _answer(self, chat_id: str, awaited: Awaited, line: str) -> None:
        if awaited.kind == "approval" and self._keys.was_begun_before:
            self._note(f"{ASKED_MEANWHILE} Not sent: {line}")
            return
        said = self._answering.take(awaited, line)
        if said.note is not None:
            self._note(said.note)
        if said.approvals or said.answers:
            given = partial(self._client.submit, chat_id, approvals=said.approvals, answers=said.answers)
            await self._outbox.send(Deed(line, given))

    def _asked(self) -> Awaited | None:
        """What a person can answer, of what the chat waits for."""
        if self._transcript.status != "requires_action":
            return None
        return next((a for a in self._transcript.waiting_for if a.kind in ("approval", "answer")), None)

    def _question(self) -> str:
        if not self._outbox.is_empty:
            return "(not sent)> "
        if (asked := self._asked()) is not None:
            return self._answering.prompt(asked)
        return "…> " if self._transcript.busy else "> "

    async def _stop(self) -> bool:
        """Whether to leave."""
        now = asyncio.get_running_loop().time()
        again = now - self._pressed_at < LEAVE_SECONDS
        self._pressed_at = now
        if again:
            return True
        if self._give_up():
            return False
        if self.chat_id is None or not (self._transcript.busy or self._transcript.waiting_for):
            self._note("Press Ctrl-C again to leave.")
            return False
        try:
            await self._client.interrupt(self.chat_id)
            self._note("Stopping the agent. Press Ctrl-C again to leave; it goes on without you.")
        except (ApiError, Unreachable) as error:
            self._note(str(error))
        return False

    def _give_up(self) -> bool:
        """Show what will not be sent any more, so that it can be copied. Whether there was anything."""
        unsent = self._outbox.give_up()
        for words in unsent:
            self._note(f"Not sent:\n{words}")
        return bool(unsent)

    async def _until_rest(self) -> None:
        """The input has ended; wait for the reply to what was sent."""
        while self.chat_id is not None and (self._transcript.busy or not self._transcript.status):
            self._moved.clear()
            await self._moved.wait()


def _said(line: str) -> str:
    return line.removeprefix("/") if line.startswith("//") else line
