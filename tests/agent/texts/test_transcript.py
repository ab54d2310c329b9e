"""What a model is told of a chat that it writes about: little, and of the right places."""

from chatd.agent.texts import transcript
from chatd.domain.message import Draft, Message
from tests.support.model import ModelChat
from tests.words import create, says, step, user


def chat_of(*drafts: Draft) -> list[Message]:
    chat = ModelChat(create(drafts[0]))
    chat.tell(step(*drafts[1:]))
    return chat.history


def turns(count: int, words: str = "") -> list[Message]:
    drafts = [(user(f"ask {n}{words}"), says(f"say {n}{words}")) for n in range(1, count + 1)]
    return chat_of(*(draft for turn in drafts for draft in turn))


def test_a_title_is_about_the_first_turn_and_the_last_three() -> None:
    told = transcript.for_title(turns(7))

    assert [n for n in range(1, 8) if f"ask {n}" in told and f"say {n}" in told] == [1, 5, 6, 7]


def test_what_is_told_for_a_title_is_bounded_and_every_turn_has_its_share() -> None:
    told = transcript.for_title(turns(7, " long" * 10_000))

    assert len(told) <= transcript.TITLE_CHARACTERS_MAX
    assert [n for n in range(1, 8) if f"ask {n}" in told] == [1, 5, 6, 7]


def test_a_label_is_about_the_last_turn_alone() -> None:
    history = chat_of(user("old"), says("older"), user("new"), says("Look."), says("Done."))

    assert transcript.for_label(history) == "User:\nnew\n\nAgent:\nDone."


def test_a_turn_in_which_the_agent_said_nothing_has_no_label() -> None:
    assert transcript.for_label(chat_of(user("old"), says("older"), user("new"))) == ""


def test_a_summary_keeps_the_beginning_and_the_end_of_everything() -> None:
    told = transcript.for_summary(turns(9, " long" * 2000 + " end"))

    assert len(told) <= transcript.SUMMARY_CHARACTERS_MAX
    assert told.startswith("User:\nask 1 long")
    assert told.endswith("long end")
    assert transcript.LEFT_OUT in told


def test_of_too_little_there_is_no_summary() -> None:
    assert transcript.for_summary(turns(1)) == ""
    assert transcript.for_summary(turns(1, " " + "w" * 200)) != ""


def test_the_report_of_a_chat_is_the_last_that_its_agent_said() -> None:
    history = chat_of(user("go"), says("Look."), says("Done."), user("thanks"))

    assert transcript.report_of(history) == "Done."
