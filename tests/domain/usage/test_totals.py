"""Totals: what a chat has used and cost."""

from msgspec.structs import replace

from chatd.domain.ids import MessageId
from chatd.domain.message import Cost, Usage
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.turns.record_charges import RecordCharges
from chatd.domain.usage.charge import Charge, Fate
from chatd.domain.usage.totals import COUNT_MAX, Totals, added, with_charges
from tests.domain.chats import running
from tests.words import said, says, step

USED = Usage(input_tokens=70, output_tokens=5, context_limit=1000)
COST = Cost(micros=300, source="book")
CHARGE = Charge(history=1, attempt=1, model="p/m", operation="reply", fate=Fate.EMPTY, usage=USED, cost=COST)


def test_messages_of_a_branch_that_was_left_and_charges_are_added_up() -> None:
    chat = running()
    chat.tell(step(replace(says("hi", usage=USED), cost=COST)))
    chat.tell(EditMessage(message_id=MessageId(1), content=said("hello again")))
    chat.tell(step(says("unpriced", usage=USED)))
    chat.tell(RecordCharges(charges=(CHARGE,)))

    totals = chat.chat.totals

    assert (totals.usage.input_tokens, totals.usage.output_tokens, totals.usage.context_limit) == (210, 15, 0)
    assert (totals.cost_micros, totals.unpriced) == (600, 1)


def test_a_charge_that_is_recorded_again_is_added_once() -> None:
    chat = running()
    later = replace(CHARGE, attempt=2)

    chat.tell(RecordCharges(charges=(CHARGE,)))
    (again,) = chat.tell(RecordCharges(charges=(CHARGE, later)))

    assert again.charges == (later,)
    assert chat.chat.totals == Totals(
        usage=Usage(input_tokens=140, output_tokens=10), cost_micros=600, charged=(1, 2, 0)
    )


def test_each_call_of_an_attempt_is_added_once() -> None:
    chat = running()
    second = replace(CHARGE, number=1)

    chat.tell(RecordCharges(charges=(CHARGE, second)))
    (again,) = chat.tell(RecordCharges(charges=(CHARGE, second)))

    assert again.charges == ()
    assert chat.chat.totals.cost_micros == 600


def test_a_charge_that_was_recorded_before_charges_had_numbers_is_not_added_again() -> None:
    known, new = with_charges(Totals(charged=(1, 1)), (CHARGE,))

    assert (known, new) == (Totals(charged=(1, 1)), ())


def test_a_nonsensical_count_makes_no_sum_that_cannot_be_stored() -> None:
    absurd = Usage(input_tokens=2**63)

    assert added(absurd, absurd).input_tokens == COUNT_MAX
