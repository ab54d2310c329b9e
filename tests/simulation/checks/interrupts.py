"""Stop keeps what was said: all of it, or after a crash all but the last second."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from chatd.domain.ids import ChatId
from chatd.domain.message import Role
from chatd.domain.part import Reasoning, Text
from chatd.storage.reads.read import Everything
from tests.simulation.chaos import Violation
from tests.simulation.people.viewer import Viewer
from tests.simulation.witnesses.chronicle import State
from tests.simulation.witnesses.overheard import Attempt, Word, flat
from tests.simulation.witnesses.said import LOG_SECONDS, Said


class Stop(NamedTuple):
    """An interruption from the moment it was asked for until what was said is saved."""

    chat_id: ChatId
    asked: State
    before: State
    after: State
    saved: str


def check_interrupts(said: Said, chats: dict[ChatId, Everything], viewers: Iterable[Viewer]) -> None:
    for stored in chats.values():
        for stop in _stops(said, stored):
            _nothing_is_invented(said, stop)
            _what_was_said_is_kept(said, stop)
            for viewer in viewers:
                if viewer.chat_id == stop.chat_id:
                    _what_was_seen_is_kept(said, stop, viewer)


def _stops(said: Said, stored: Everything) -> Iterator[Stop]:
    chat_id, asked = stored.chat.id, None
    for before, after in pairwise(said.chronicle.of_chat[chat_id]):
        if after.status == "interrupting":
            asked = after if before.status != "interrupting" else asked
        elif before.status == "interrupting" and after.branch == before.branch:
            assert asked is not None
            yield Stop(chat_id, asked, before, after, _saved(stored, before, after))
        # An edit leaves with its branch whatever was about to be saved.


def _saved(stored: Everything, before: State, after: State) -> str:
    words = [
        Word("text" if isinstance(part, Text) else "reasoning", part.text)
        for message in stored.messages
        if before.newest < message.id <= after.newest and message.role is Role.ASSISTANT
        for part in message.content
        if isinstance(part, Text | Reasoning)
    ]
    return flat(words)


def _nothing_is_invented(said: Said, stop: Stop) -> None:
    attempts = said.on(stop.chat_id, stop.before.history)
    if stop.saved and not any(flat(attempt.said()).startswith(stop.saved) for attempt in attempts):
        raise Violation(f"{stop} saved what no attempt has said")


def _what_was_said_is_kept(said: Said, stop: Stop) -> None:
    newest = said.newest_on(stop.chat_id, stop.before.history, before=stop.asked.at)
    if newest is None or _from_a_later_attempt(said, stop, newest):
        return
    promised = flat(newest.said(_promised_until(said, stop, newest)))
    if not stop.saved.startswith(promised):
        raise Violation(f"{stop} lost something of {promised!r}, said by {newest.process}")


def _promised_until(said: Said, stop: Stop, attempt: Attempt) -> float:
    logged = said.logged_until(attempt)
    if not said.disturbed(attempt, until=stop.after.at):
        return stop.asked.at
    # Whoever saves it may be another process, which has only the log.
    return min(stop.asked.at - LOG_SECONDS, logged)


def _from_a_later_attempt(said: Said, stop: Stop, attempt: Attempt) -> bool:
    """It may have found its first words between the stop and the saving."""
    later = [each for each in said.on(stop.chat_id, stop.before.history) if each.number > attempt.number]
    return bool(stop.saved) and any(flat(each.said()).startswith(stop.saved) for each in later)


def _what_was_seen_is_kept(said: Said, stop: Stop, viewer: Viewer) -> None:
    """Where nothing broke, every word that a viewer saw is in the saved reply."""
    newest = said.newest_on(stop.chat_id, stop.before.history, before=stop.after.at)
    if newest is None or said.disturbed(newest, until=stop.after.at):
        return
    for held in viewer.held:
        seen = flat(part.word for part in held.parts if part.role == "assistant")
        key = (held.parts[0].history, held.parts[0].attempt)
        if key == (stop.before.history, newest.number) and not stop.saved.startswith(seen):
            raise Violation(f"{stop} lost something of {seen!r}, which a viewer saw")
