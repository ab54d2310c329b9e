"""Which texts a chat wants."""

from typing import Any

import pytest
from msgspec.structs import replace

from chatd.agent.texts.due import due
from chatd.agent.texts.kinds import LABEL, SUMMARY, TITLE, TextKind
from chatd.catalog.documents import Texts
from chatd.domain.decision.change import Details
from chatd.domain.ids import ChatId
from chatd.domain.profile.texts import TitleBy, TurnLabel
from chatd.domain.transitions.chat.archive import Archive
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.chat.label_turn import LabelTurn
from chatd.domain.transitions.chat.name_chat import NameChat
from chatd.domain.transitions.chat.summarize_chat import SummarizeChat
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_interruption import FinishInterruption
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.domain.transitions.turns.request_compaction import RequestCompaction
from tests.domain.chats import asking, idle, running
from tests.support.model import ModelChat
from tests.words import failure, says, send, step, summary

ALL = Texts(turn_labels=True)


def wanted(chat: ModelChat) -> set[str]:
    return {kind.operation.value for kind in due(chat.chat, ALL)}


def another_turn(chat: ModelChat) -> ModelChat:
    chat.tell(send("go on"))
    chat.tell(step(says("Done.")), FinishTurn())
    return chat


def test_after_its_first_turn_a_chat_wants_all_of_them() -> None:
    assert due(idle().chat, ALL) == (LABEL, TITLE, SUMMARY)


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (Texts(turn_labels=True, titles=False), TITLE),
        (Texts(), LABEL),
        (Texts(turn_labels=True, summaries=False), SUMMARY),
    ],
)
def test_administrators_can_do_without_each(texts: Texts, kind: TextKind) -> None:
    assert set(due(idle().chat, ALL)) - set(due(idle().chat, texts)) == {kind}


def test_a_title_that_was_chosen_is_not_looked_for() -> None:
    chat = idle()
    chat.tell(DescribeChat(details=Details(title="Mine")))
    assert "title" not in wanted(chat)

    chat = idle()
    chat.tell(NameChat(title="Better", instead_of=chat.chat.title, chosen_by=TitleBy.FALLBACK))
    assert "title" not in wanted(chat)


def test_a_title_that_was_not_found_is_looked_for_after_two_more_turns_and_not_for_ever() -> None:
    chat = idle()

    found = [wanted(chat), *(wanted(another_turn(chat)) for _ in range(3))]

    assert ["title" in each for each in found] == [True, True, True, False]


def test_a_summary_is_written_after_the_first_turn_and_then_after_every_third() -> None:
    chat = idle()
    found = [wanted(chat)]
    chat.tell(SummarizeChat(summary="So far."))
    found += [wanted(another_turn(chat)) for _ in range(6)]

    assert ["chat_summary" in each for each in found] == [True, False, False, True, False, False, True]


def test_a_chat_without_a_summary_wants_one_after_each_turn() -> None:
    assert "chat_summary" in wanted(another_turn(idle()))


def test_a_turn_that_has_its_label_wants_no_other() -> None:
    chat = idle()
    chat.tell(LabelTurn(label=TurnLabel(turn=chat.chat.projection.turn_start, text="Fixed the tests")))

    assert "label" not in wanted(chat)
    assert "label" in wanted(another_turn(chat))


def test_a_chat_that_waits_for_a_person_wants_a_title_and_no_label() -> None:
    assert wanted(asking()) == {"title"}


def test_a_turn_that_failed_or_was_interrupted_wants_nothing_written_about_it() -> None:
    failed = running()
    failed.tell(FailTurn(failure=failure()))
    stopped = running()
    stopped.tell(Interrupt())
    stopped.tell(FinishInterruption(partial=(says("half"),)))

    assert wanted(failed) == set()
    assert wanted(stopped) <= {"title"}


def test_a_summary_that_the_user_asked_for_is_no_turn() -> None:
    chat = idle()
    chat.tell(RequestCompaction())
    chat.tell(step(*summary("so far")), FinishTurn())

    assert wanted(chat) <= {"title"}


@pytest.mark.parametrize("fields", [{"temporary": True}, {"parent_id": ChatId("root")}])
def test_chats_in_no_list_want_nothing(fields: dict[str, Any]) -> None:
    assert due(replace(idle().chat, **fields), ALL) == ()


def test_nor_do_archived_ones() -> None:
    chat = idle()
    chat.tell(Archive())

    assert due(chat.chat, ALL) == ()
