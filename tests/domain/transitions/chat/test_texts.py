"""What models write about a chat: it stands beside what the chat does, and never over what a person chose."""

import pytest
from msgspec.structs import replace

from chatd.domain.decision.change import Details
from chatd.domain.decision.fence import AtHistory
from chatd.domain.ids import MessageId
from chatd.domain.message import Cost, Usage
from chatd.domain.profile.texts import ENDINGS, NEEDS_ACTION, TitleBy, TurnLabel
from chatd.domain.transitions.chat.charge_text import ChargeText
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.chat.label_turn import LabelTurn
from chatd.domain.transitions.chat.name_chat import NameChat
from chatd.domain.transitions.chat.summarize_chat import SummarizeChat
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_interruption import FinishInterruption
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.domain.transitions.turns.record_charges import RecordCharges
from chatd.domain.transitions.turns.request_compaction import RequestCompaction
from chatd.domain.turn_end import Reason
from chatd.domain.usage.charge import Charge, Fate
from chatd.errors import NotAllowed, Stale
from tests.domain.chats import asking, idle
from tests.support.model import ModelChat
from tests.traceability import proves
from tests.words import create, failure, says, send, step, summary

NAME = NameChat(title="Better", instead_of="", chosen_by=TitleBy.FALLBACK)
COST = Cost(micros=300, source="book")
CHARGE = Charge(
    history=0,
    attempt=0,
    model="p/m",
    operation="title",
    fate=Fate.USED,
    usage=Usage(input_tokens=70),
    cost=COST,
)


def label(chat: ModelChat, words: str = "Fixed the tests") -> LabelTurn:
    return LabelTurn(label=TurnLabel(turn=chat.chat.projection.turn_start, text=words))


def test_a_model_names_a_chat_that_has_only_its_first_words_for_a_title() -> None:
    chat = idle()

    chat.tell(NAME)

    assert (chat.chat.title, chat.chat.title_by) == ("Better", TitleBy.MODEL)


@proves("api", 79)
def test_a_name_that_a_person_chose_meanwhile_stays() -> None:
    chat = idle()
    chat.tell(DescribeChat(details=Details(title="Mine")))

    with pytest.raises(NotAllowed, match="renamed"):
        chat.tell(NAME)

    assert (chat.chat.title, chat.chat.title_by) == ("Mine", TitleBy.PERSON)


def test_choosing_the_very_words_that_the_chat_has_is_a_choice_too() -> None:
    chat = ModelChat(create(), now=1)
    chat.tell(DescribeChat(details=Details(title=chat.chat.title)))

    with pytest.raises(NotAllowed, match="renamed"):
        chat.tell(NAME)


def test_what_is_written_about_a_chat_moves_neither_its_place_in_a_list_nor_its_history() -> None:
    chat = idle()
    before = chat.chat

    chat.tell(NAME, label(chat), SummarizeChat(summary="About tests."), ChargeText(charge=CHARGE))

    after = chat.chat
    assert (after.updated_at, after.status, after.projection) == (
        before.updated_at,
        before.status,
        before.projection,
    )
    assert after.versions == replace(before.versions, snapshot=before.versions.snapshot + 1)


def test_the_last_turn_has_its_label_until_the_next_one_begins() -> None:
    chat = idle()
    chat.tell(label(chat))
    assert (chat.chat.label, chat.chat.last_turn_summary) == ("Fixed the tests", "Fixed the tests")

    chat.tell(send("go on"))
    assert (chat.chat.label, chat.chat.last_turn_summary) == (None, None)
    chat.tell(step(says("Done.")), FinishTurn())

    assert (chat.chat.label, chat.chat.last_turn_summary) == (None, ENDINGS[Reason.COMPLETE])


def test_a_summary_of_a_long_history_leaves_the_label_of_the_turn_before_it() -> None:
    chat = idle()
    chat.tell(label(chat))

    chat.tell(RequestCompaction())
    chat.tell(step(*summary("so far")), FinishTurn())

    assert chat.chat.last_turn_summary == "Fixed the tests"


@proves("api", 81)
def test_a_label_for_an_earlier_turn_is_dropped() -> None:
    chat = idle()
    late = label(chat)
    chat.tell(send("go on"))
    chat.tell(step(says("Done.")), FinishTurn())

    with pytest.raises(NotAllowed, match="another turn"):
        chat.tell(late)

    assert chat.chat.label is None


@proves("worker", 54)
def test_a_label_and_a_summary_of_an_older_history_change_nothing() -> None:
    chat = idle()
    known = AtHistory(chat.chat.versions.history)
    commands = (label(chat), SummarizeChat(summary="Old."))
    chat.tell(RequestCompaction())
    chat.tell(step(*summary("so far")), FinishTurn())

    for command in commands:
        with pytest.raises(Stale):
            chat.tell(command, fence=known)

    assert (chat.chat.turn_label, chat.chat.summary) == (None, None)


def test_a_turn_that_failed_has_no_label() -> None:
    chat = idle()
    chat.tell(label(chat))
    chat.tell(send("go on"))
    chat.tell(FailTurn(failure=failure()))

    assert chat.chat.last_turn_summary is None
    with pytest.raises(NotAllowed):
        chat.tell(label(chat))


def test_a_turn_that_was_interrupted_has_none_either() -> None:
    chat = idle()
    chat.tell(label(chat))
    chat.tell(send("go on"))
    chat.tell(Interrupt())
    chat.tell(FinishInterruption(partial=(says("half"),)))

    assert chat.chat.last_turn_summary is None


def test_a_chat_that_waits_for_a_person_says_so_in_fixed_words() -> None:
    assert asking().chat.last_turn_summary == NEEDS_ACTION


def test_every_end_of_a_turn_has_its_words_but_for_the_one_that_a_person_caused() -> None:
    assert set(Reason) - set(ENDINGS) == {Reason.INTERRUPTED}
    assert all(2 <= len(words.split()) <= 5 for words in [*ENDINGS.values(), NEEDS_ACTION])


def test_what_a_text_cost_is_added_whatever_the_turns_have_charged_meanwhile() -> None:
    chat = idle()
    reply = replace(CHARGE, history=chat.chat.versions.snapshot + 9, attempt=1, operation="reply")
    chat.tell(RecordCharges(charges=(reply,)))

    chat.tell(ChargeText(charge=CHARGE))
    chat.tell(ChargeText(charge=CHARGE))

    assert (chat.chat.totals.cost_micros, chat.chat.totals.usage.input_tokens) == (900, 210)
    keys = [(each.history, each.attempt, each.number) for each in chat.charges]
    assert len(set(keys)) == 3
    # The next attempt is counted as if nothing had been in between.
    later = replace(reply, attempt=2)
    chat.tell(RecordCharges(charges=(later,)))
    assert chat.chat.totals.cost_micros == 1200


def test_a_label_of_a_message_that_is_not_there_is_refused() -> None:
    chat = idle()

    with pytest.raises(NotAllowed):
        chat.tell(LabelTurn(label=TurnLabel(turn=MessageId(99), text="Nothing")))
