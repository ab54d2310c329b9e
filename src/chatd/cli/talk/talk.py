"""A talk in the terminal.

Several things go on at once: the stream of the chat is shown, and those of the agents that work for it;
lines are read; what could not be sent is tried again; seconds are counted. What is typed while the agent
works waits in the queue.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from msgspec import UNSET, UnsetType

from chatd.cli.advice import in_talk
from chatd.cli.talk.choice import Choice
from chatd.cli.talk.commands.offers import completer_for
from chatd.cli.talk.display import Display
from chatd.cli.talk.drawing.screen import is_coloured
from chatd.cli.talk.following.agents import AgentsFollower
from chatd.cli.talk.following.follower import Follower
from chatd.cli.talk.listening import Listening
from chatd.cli.talk.sending.outbox import PIPE_TRIES_MAX, TERMINAL_TRIES_MAX, Outbox, Outgoing
from chatd.cli.talk.sending.typed import Deed, Message
from chatd.cli.talk.showing.banner import HELP, HELP_FOR_LINES, banner
from chatd.cli.talk.showing.pieces import Tone
from chatd.cli.talk.showing.questions import Asked
from chatd.cli.talk.showing.status_line import Facts
from chatd.cli.talk.showing.transcript import words_of
from chatd.cli.talk.showing.view import View
from chatd.cli.talk.typing.history import typed_before
from chatd.cli.talk.typing.keyboard import Keyboard, is_screen, is_terminal
from chatd.cli.talk.typing.lined import AT_WORK
from chatd.cli.talk.typing.terminal import Aids
from chatd.client import ApiError, AsyncClient, Unreachable
from chatd.client.answers import Chat, Sent
from chatd.client.events import ChildrenChanged, Event
from chatd.client.follow import Connection

PLANS = "The agent plans: it looks around and proposes a plan. /act lets it change things."
ACTS = "The agent does what it is asked. /plan has it propose a plan first."
AWAY = "The server is away. What you type is kept, and sent when it is back."
BACK = "The server is back."
STOPPING = "Stopping the agent. Press Ctrl-C again to leave; it goes on without you."


class Talk:
    def __init__(self, client: AsyncClient, choice: Choice) -> None:
        self.client = client
        self.chat_id: str | None = None
        self.parent_id: str | None = None
        self.model = choice.model
        self.effort = choice.effort
        self.workspace = choice.workspace
        self.mode: str | UnsetType = "plan" if choice.plan else UNSET
        # Files that go along with the next message.
        self.files: list[Mapping[str, Any]] = []
        self.leaves = False
        # Asked now: later, what is printed goes to the field.
        self.is_person = is_terminal()
        self._editing: int | None = None
        # The model that answers in a new chat, as far as that is known.
        self._default_model = ""
        self.outbox = Outbox(
            tell=self.note,
            away=self._go_away,
            back=self._come_back,
            tries_max=TERMINAL_TRIES_MAX if self.is_person else PIPE_TRIES_MAX,
            is_shown=is_screen(),
        )
        self.display = Display(self.question, lambda: self.outbox.kept)
        self.display.begin_view(self._facts_of_new_chat())
        self.facts.plans = choice.plan
        self._keys: Keyboard | None = None
        self._group = asyncio.TaskGroup()
        self._follower = Follower(
            client,
            self._group,
            see=self._see,
            connected=self._connected,
            failed=lambda error: self.note(f"{error} Trying again."),
            is_patient=self.is_person,
        )
        self._agents: AgentsFollower | None = None
        self._agents_task: asyncio.Task[None] | None = None
        self._moved = asyncio.Event()

    def aids(self) -> Aids:
        """What helps while one types at a terminal."""
        if not self.display.is_screen:
            return Aids()
        return Aids(
            history=typed_before(),
            completer=completer_for(self),
            status=self.display.status,
            answers=self.display.answers_by_key,
            unfold=self.display.unfold,
            print_output=self.display.print_output,
            has_queued=lambda: bool(self.view.queued),
            take_queued=lambda: self._beside(self._take_queued()),
            redraw=self.display.redraw,
            coloured=is_coloured(),
        )

    async def run(self, keys: Keyboard, chat: Chat | None, first: str | None = None) -> None:
        self._keys = keys
        self.display.attach(keys)
        if self.is_person:
            await self._greet(chat)
        try:
            async with self._group as group:
                beside = [group.create_task(self.outbox.run()), group.create_task(self.display.tick())]
                if chat is not None:
                    self._enter(chat)
                    if self.mode == "plan":
                        await self.plan(is_on=True)
                if first is not None:
                    await self.send(first)
                await Listening(self, keys).run()
                for task in beside:
                    task.cancel()
                self._stop_following()
        finally:
            self.give_up()
        self.display.end_view()
        await self._tell_what_was_read()
        if self.is_person and first is None and self.chat_id is not None and not self.view.is_over:
            if self.view.is_busy:
                self.note("The agent goes on without you.", Tone.TOOL)
            self.note(f"To come back: chatd chat {self.chat_id}", Tone.TOOL)

    async def _greet(self, chat: Chat | None) -> None:
        lines, self.facts.model = await banner(
            self.client, chat, self.workspace, self.model, HELP if self.display.is_screen else HELP_FOR_LINES
        )
        self._default_model = self.facts.model if chat is None else ""
        for line in lines:
            self.note(line, Tone.TOOL)

    # What commands do.

    @property
    def view(self) -> View:
        return self.display.view

    @property
    def facts(self) -> Facts:
        return self.view.facts

    @property
    def asked(self) -> Asked | None:
        return self.view.asked

    @property
    def editing(self) -> int | None:
        """The message that the next line replaces."""
        return self._editing

    @editing.setter
    def editing(self, message_id: int | None) -> None:
        self._editing = message_id
        self.display.is_editing = message_id is not None

    async def send(self, words: str, *, when: str | None = None) -> None:
        self.display.typed(words)
        files, self.files = tuple(self.files), []
        self.facts.files = 0
        await self._send(Message(self.client, self, words, when=when, files=files))

    async def do(self, words: str, deed: Callable[[], Awaitable[object]]) -> None:
        """Now, or when the server is back."""
        await self._send(Deed(words, deed))

    async def _send(self, outgoing: Outgoing) -> None:
        await self.outbox.send(outgoing)
        # It may be kept, which is seen.
        self.display.show()

    def note(self, words: str, tone: Tone = Tone.NOTE) -> None:
        self.display.note(words, tone)

    def begin_with(self, text: str) -> None:
        if self._keys is not None:
            self._keys.begin_with(text)

    async def go_to(self, chat: Chat | None) -> None:
        """Talk in another chat; None: in a new one."""
        await self._tell_what_was_read()
        self._stop_following()
        self.chat_id, self.parent_id, self.editing = None, None, None
        self.display.begin_view(self._facts_of_new_chat())
        if chat is not None:
            self.workspace, self.mode = UNSET, UNSET
            self._enter(chat)

    async def plan(self, *, is_on: bool) -> None:
        """Of a chat that does not exist yet, it is said with the first message."""
        if self.chat_id is None:
            self.mode = "plan" if is_on else UNSET
        else:
            await self.client.change_chat(self.chat_id, mode="plan" if is_on else None)
        self.facts.plans = is_on
        self.note(PLANS if is_on else ACTS)

    async def answer(self, asked: Asked, line: str) -> None:
        said = self.view.answering.take(asked.awaited, line)
        for piece in said.shown:
            self.display.tell(piece)
        if said.approvals or said.answers:
            submit = partial(self.client.submit, asked.chat_id, approvals=said.approvals)
            await self.do(line, partial(submit, answers=said.answers))

    def _beside(self, deed: Coroutine[Any, Any, None]) -> None:
        """What a key does, while one types on."""
        self._group.create_task(deed)

    async def _take_queued(self) -> None:
        """The newest message that waits goes back into the field, to be changed."""
        if self.chat_id is None or not self.view.queued or self._keys is None:
            return
        last = self.view.queued[-1]
        try:
            await self.client.delete_queued(self.chat_id, last.id)
        except (ApiError, Unreachable) as error:
            # It may have been taken up meanwhile.
            self.note(in_talk(error, status=self.view.status))
        else:
            self._keys.type_in(words_of(last.content))

    async def stop(self, chat_id: str) -> None:
        try:
            await self.client.interrupt(chat_id)
            # What is being said is broken off here, so this comes behind it.
            self.display.show(self.view.lines.note(STOPPING))
        except (ApiError, Unreachable) as error:
            self.note(in_talk(error, "/stop", self.view.status))

    def give_up(self) -> bool:
        """Show what will not be sent any more, so that it can be copied. Whether there was anything."""
        unsent = self.outbox.give_up()
        for words in unsent:
            self.note(f"Not sent:\n{words}")
        return bool(unsent)

    async def until_rest(self) -> None:
        """The input has ended; wait for the reply to what was sent."""
        while self.chat_id is not None and (self.view.is_busy or not self.view.status):
            self._moved.clear()
            await self._moved.wait()

    def question(self) -> str:
        """What stands before what is typed."""
        if not self.outbox.is_empty:
            return "(not sent)> "
        if self.editing is not None:
            return "edit> "
        if (asked := self.asked) is not None:
            return self.view.answering.prompt(asked.awaited)
        return AT_WORK if self.view.is_busy else "> "

    # What the sending of messages asks of us.

    def begun(self, chat: Chat) -> None:
        self.view.status = chat.status
        self._enter(chat)

    def sent(self, sent: Sent) -> None:
        # Until the stream says so too. It may have, if this is the answer to a second try.
        if sent.message is not None and sent.message.id > self.view.newest:
            self.view.status = "running"

    # Which chat it is, and its streams.

    def _facts_of_new_chat(self) -> Facts:
        chosen = self.model or ""
        return Facts(model=chosen or self._default_model, chosen=chosen, effort=self.effort or "")

    def _enter(self, chat: Chat) -> None:
        """What is known of the chat, and its stream from the beginning on."""
        facts = self.facts
        self.chat_id = facts.chat_id = chat.id
        self.parent_id = chat.parent_chat_id
        facts.title = chat.title
        facts.cost_micros, facts.counted_id = chat.cost_micros_total, chat.last_message_id or 0
        facts.model = self.model or chat.last_model or facts.model
        facts.effort = self.effort or chat.last_reasoning_effort or ""
        facts.plans = chat.mode == "plan"
        self._follower.follow(chat.id)
        if self.display.is_screen:
            self._agents = AgentsFollower(self.client, self.view.agents, self.display.show)
            self._agents_task = self._group.create_task(self._agents.run(chat.id))

    def _stop_following(self) -> None:
        self._follower.stop()
        if self._agents_task is not None:
            self._agents_task.cancel()
        self._agents = self._agents_task = None

    async def _tell_what_was_read(self) -> None:
        """So that other windows do not show it as unread."""
        if self.chat_id is not None and self.view.newest:
            with suppress(ApiError, Unreachable):
                await self.client.change_chat(self.chat_id, last_read_message_id=self.view.newest)

    def _see(self, event: Event) -> None:
        if isinstance(event, ChildrenChanged) and self._agents is not None:
            self._agents.see(event.children)
        self.display.show(self.view.pieces_of(event))
        self._moved.set()

    def _connected(self, connection: Connection) -> None:
        """Told once, whether the stream or a message notices it first. In a pipe only a message matters."""
        is_away = connection == "lost"
        if is_away != self.facts.away and self.is_person:
            self.note(AWAY if is_away else BACK)
        self.facts.away = is_away

    def _go_away(self, error: Exception) -> None:
        if not self.is_person:
            self.note(f"The server is away: {error}")
        self._connected("lost")

    def _come_back(self) -> None:
        """The server answers again: connect the stream at once, and not after its pause."""
        self._connected("back")
        self._follower.connect()
        self.display.show()
