"""Viewers converge, and a preview is either exact or explicitly reset."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from chatd.domain.ids import ChatId
from chatd.kit.codec import Decoder, from_column
from tests.simulation.chaos import Violation
from tests.simulation.people.picture import Event, Held, Part
from tests.simulation.people.viewer import Sight, Viewer
from tests.simulation.witnesses.overheard import exactly, flat
from tests.simulation.witnesses.said import LOG_SECONDS, Said

_json: Decoder[Any] = Decoder(object)


def difference(raw: sqlite3.Connection, viewer: Viewer) -> str | None:
    """How a viewer's picture differs from the database, if it does."""
    picture, stored = viewer.picture.facts(), _stored(raw, viewer.chat_id)
    wrong = [name for name in stored if picture[name] != stored[name]]
    if wrong:
        return " and ".join(f"{name} is {picture[name]!r} instead of {stored[name]!r}" for name in wrong)
    if viewer.picture.preview:
        return f"nobody speaks, and {viewer.picture.preview} is shown as being said"
    return None


def check_viewers(said: Said, viewers: Iterable[Viewer]) -> None:
    for viewer in viewers:
        for held in (*viewer.held, *_last(viewer)):
            _is_one_attempt(viewer.chat_id, held.parts)
            _is_what_was_said(said, viewer.chat_id, held.parts)
            _was_reset_with_reason(said, viewer.chat_id, held)
        for sight in viewer.sights:
            _half_said_stays_visible(said, viewer.chat_id, sight)


def _last(viewer: Viewer) -> Iterator[Held]:
    if viewer.picture.preview:
        yield Held(viewer.picture.preview)


def _is_one_attempt(chat_id: ChatId, parts: Sequence[Part]) -> None:
    if len({(part.history, part.attempt) for part in parts}) != 1:
        raise Violation(f"a preview of {chat_id} mixes several attempts without a reset: {parts}")
    numbers = [part.seq for part in parts]
    if numbers != sorted(set(numbers)):
        raise Violation(f"a preview of {chat_id} has something twice: {parts}")


def _is_what_was_said(said: Said, chat_id: ChatId, parts: Sequence[Part]) -> None:
    words = [part.word for part in parts if part.role == "assistant" and not _is_summary(part)]
    attempts = [
        attempt
        for attempt in said.on(chat_id, parts[0].history)
        if attempt.number == parts[0].attempt and exactly(attempt.said()).startswith(exactly(words))
    ]
    if words and not attempts:
        raise Violation(f"a viewer of {chat_id} was shown what no model said in that attempt: {parts}")


def _is_summary(part: Part) -> bool:
    return part.word.kind == "call" and part.word.text == f"summary-{part.history}"


def _was_reset_with_reason(said: Said, chat_id: ChatId, held: Held) -> None:
    """While the history has not moved, only a newer attempt that speaks takes a preview away."""
    follower, history = held.reset_followed_by, held.parts[0].history
    if follower is None or said.chronicle.at(chat_id, held.ended).history != history:
        return
    if follower["type"] != "message_part" or follower["generation_attempt"] <= held.parts[0].attempt:
        raise Violation(f"{held.parts} was taken away from a viewer of {chat_id}, and nobody spoke anew")


def _half_said_stays_visible(said: Said, chat_id: ChatId, sight: Sight) -> None:
    """Whoever comes after a crash sees what was said before it, until the next attempt speaks."""
    state = said.chronicle.at(chat_id, sight.began)
    later = said.chronicle.at(chat_id, sight.arrived)
    if not state.speaking or later.history != state.history or later.status == "error":
        return  # A turn that has failed meanwhile says nothing any more.
    attempt = said.newest_on(chat_id, state.history, before=sight.arrived)
    if attempt is None or any(part.attempt > attempt.number for part in sight.preview):
        return  # A newer one has begun to speak at this very moment.
    if attempt.process == sight.process:
        promised = attempt.said(sight.began)
    elif said.died(attempt.process, before=sight.began):
        promised = attempt.said(said.logged_until(attempt))
    else:
        promised = attempt.said(min(said.logged_until(attempt), sight.began - LOG_SECONDS))
    shown = flat(part.word for part in sight.preview)
    if not shown.startswith(flat(promised)):
        raise Violation(
            f"{sight} of {chat_id} does not show what was said before: {flat(promised)!r}, but {shown!r}"
        )


def _stored(raw: sqlite3.Connection, chat_id: ChatId) -> Event:
    status, error = raw.execute("SELECT status, last_error FROM chats WHERE id = ?", (chat_id,)).fetchone()
    messages = raw.execute(
        "SELECT id, role, content FROM messages"
        " WHERE chat_id = ? AND NOT deleted AND visibility <> 'model' ORDER BY id",
        (chat_id,),
    )
    queue = raw.execute(
        "SELECT id, content, steered FROM queued_messages WHERE chat_id = ? ORDER BY position, id", (chat_id,)
    )
    waiting = raw.execute(
        "SELECT k.message_id, k.id FROM calls k"
        " JOIN messages m ON m.chat_id = k.chat_id AND m.id = k.message_id"
        " WHERE k.chat_id = ? AND NOT m.deleted AND ? = 'requires_action'"
        " AND (k.state = 'needs_approval' OR k.kind IN ('client', 'person') AND k.state <> 'answered')"
        " ORDER BY k.message_id, k.ordinal",
        (chat_id, status),
    )
    return {
        "status": status,
        "error": _json.decode(error)["message"] if error is not None else None,
        "messages": [[id_, role, _json.decode(content)] for id_, role, content in messages],
        "queue": [[id_, _json.decode(c), "steer" if steered else "queue"] for id_, c, steered in queue],
        "waiting": [[message_id, from_column(call_id)] for message_id, call_id in waiting],
    }
