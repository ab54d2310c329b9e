"""What `chatd send` prints: the words that follow its message, as they come, and each once."""

from collections.abc import Iterable

from chatd.cli.talk.showing.reply_text import ReplyText
from chatd.client.answers import Message, Part, Queued, Sent
from chatd.client.events import (
    Event,
    MessageSaved,
    PartSpoken,
    PreviewReset,
    QueueUpdated,
    RetryPending,
    StatusChanged,
)


def spoken(words: str, type: str = "text") -> Event:
    return PartSpoken(role="assistant", part=Part(type=type, text=words))


def saved(id: int, role: str, words: str) -> MessageSaved:
    part = Part(type="text", text=words)
    return MessageSaved(message=Message(id=id, role=role, content=(part,), created_at=""))


def queue(*ids: int) -> Event:
    return QueueUpdated(queued_messages=tuple(Queued(id=each, content=(), created_at="") for each in ids))


def printed(answer: ReplyText, events: Iterable[Event]) -> list[str]:
    return [*("".join(answer.words_of(event)) for event in events), "".join(answer.end())]


def test_words_are_printed_as_they_come_and_not_again_when_they_are_saved() -> None:
    events = [
        saved(1, "user", "hi"), spoken("hm", "reasoning"), spoken("Ma"), spoken("rs"),
        saved(2, "assistant", "Mars."), PreviewReset(), spoken("And"), saved(3, "assistant", "And Venus."),
        PreviewReset(), StatusChanged(status="waiting"),
    ]  # fmt: skip

    assert printed(ReplyText(None), events) == [
        "", "", "Ma", "rs", ".", "", "\n\nAnd", " Venus.", "", "", "\n",
    ]  # fmt: skip


def test_what_was_said_before_is_not_printed() -> None:
    sent = Sent(queued=False, message=saved(3, "user", "more").message)
    events = [
        saved(1, "user", "hi"), saved(2, "assistant", "Mars."), saved(3, "user", "more"), spoken("Venus"),
    ]  # fmt: skip

    assert "".join(printed(ReplyText(sent), events)) == "Venus\n"


def test_what_is_said_before_a_waiting_message_is_taken_up_is_not_printed() -> None:
    sent = Sent(queued=True, queued_message=Queued(id=2, content=(), created_at=""))
    before = [
        saved(1, "user", "hi"),
        queue(2),
        spoken("Mars"),
        saved(3, "assistant", "Mars."),
        PreviewReset(),
    ]
    live = [saved(4, "user", "more"), queue(), PreviewReset(), spoken("Ve"), saved(5, "assistant", "Venus.")]
    late = [saved(4, "user", "more"), saved(5, "assistant", "Venus."), queue()]

    assert "".join(printed(ReplyText(sent), [*before, *live])) == "Venus.\n"
    assert "".join(printed(ReplyText(sent), [*before, *late])) == "Venus.\n"


def test_what_is_said_anew_begins_a_paragraph() -> None:
    retried = [
        spoken("Ju"),
        RetryPending(attempt=1),
        PreviewReset(),
        spoken("Sa"),
        saved(2, "assistant", "Saturn"),
    ]
    changed = [spoken("Ju"), saved(2, "assistant", "Saturn"), PreviewReset()]

    assert "".join(printed(ReplyText(None), retried)) == "Ju\n\nSaturn\n"
    assert "".join(printed(ReplyText(None), changed)) == "Ju\n\nSaturn\n"


def test_where_nothing_is_said_nothing_is_printed() -> None:
    assert "".join(printed(ReplyText(None), [saved(1, "user", "hi"), spoken("hm", "reasoning")])) == ""


def test_texts_before_and_behind_a_thought_are_paragraphs_live_and_saved() -> None:
    parts = (
        Part(type="text", text="First."),
        Part(type="reasoning", text="hm"),
        Part(type="text", text="Second"),
        Part(type="source", url="https://x.example"),
        Part(type="text", text=" goes on."),
    )
    message = MessageSaved(message=Message(id=2, role="assistant", content=parts, created_at=""))
    live: list[Event] = [PartSpoken(role="assistant", part=part) for part in parts]
    hi = saved(1, "user", "hi")

    stories: list[list[Event]] = [[hi, message], [hi, *live, message], [hi, *live[:3], message]]
    for events in stories:
        assert "".join(printed(ReplyText(None), events)) == "First.\n\nSecond goes on.\n"
