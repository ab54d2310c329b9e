"""What is typed, line by line: a command, an answer to what is asked, or a message."""

import asyncio

from chatd.cli.advice import in_talk
from chatd.cli.talk.answers.answering import SKIP
from chatd.cli.talk.commands.table import is_command, name_of, obey
from chatd.cli.talk.commands.talked import Talked
from chatd.cli.talk.typing.ending import Ended, Pressed
from chatd.cli.talk.typing.keyboard import Keyboard
from chatd.client import ApiError, Unreachable
from chatd.errors import Unusable

LEAVE_SECONDS = 2.0

ASKED_MEANWHILE = "The agent has asked something while you typed. Read it, and answer it first."


class Listening:
    def __init__(self, talk: Talked, keys: Keyboard) -> None:
        self._talk = talk
        self._keys = keys
        self._pressed_at = -LEAVE_SECONDS

    async def run(self) -> None:
        """Until the user leaves, or there are no more lines."""
        talk = self._talk
        while not talk.leaves:
            try:
                line = (await self._keys.read(talk.question())).strip()
            except Pressed:
                if await self._press():
                    return
                continue
            except Ended:
                if self._keys.waits_at_end:
                    await talk.outbox.wait_until_empty()
                    await talk.until_rest()
                return
            try:
                await self._obey(line)
            except (ApiError, Unreachable, Unusable) as error:
                # A refusal is shown and the chat goes on; the words stay on the screen to be copied.
                words = "" if is_command(line) else f" Not sent: {line}"
                talk.note(f"{in_talk(error, name_of(line), talk.view.status)}{words}")

    async def _obey(self, line: str) -> None:
        talk, asked = self._talk, self._talk.asked
        if not line:
            return
        if talk.editing is not None and not is_command(line):
            await self._replace(talk.editing, said(line))
        elif line == SKIP and asked is not None:
            await talk.answer(asked, line)
        elif is_command(line):
            await obey(talk, line)
        elif asked is not None and not asked.agent:
            if asked.awaited.kind == "approval" and self._keys.was_begun_before:
                raise Unusable(ASKED_MEANWHILE)
            await talk.answer(asked, said(line))
        else:
            await talk.send(said(line))

    async def _replace(self, message_id: int, words: str) -> None:
        talk = self._talk
        talk.editing = None
        assert talk.chat_id is not None
        await talk.client.edit(
            talk.chat_id, message_id, words, model=talk.model, reasoning_effort=talk.effort
        )

    async def _press(self) -> bool:
        """Ctrl-C. Whether to leave."""
        talk = self._talk
        now = asyncio.get_running_loop().time()
        again = now - self._pressed_at < LEAVE_SECONDS
        self._pressed_at = now
        if again:
            return True
        if talk.editing is not None:
            talk.editing = None
            talk.note("The message stays as it was.")
        elif talk.give_up():
            pass
        elif talk.chat_id is None or not (talk.view.is_busy or talk.view.questions.own):
            talk.note("Press Ctrl-C again to leave.")
        else:
            await talk.stop(talk.chat_id)
        return False


def said(line: str) -> str:
    """To begin a message with a slash, one writes two."""
    return line.removeprefix("/") if line.startswith("//") else line
