"""What a family may be, and what happens to all of it."""

import pytest
from msgspec.structs import replace

from chatd.domain.call import Call, CallState, Effect, Kind
from chatd.domain.chat import Chat, Status
from chatd.domain.decision.locked import LockedChat
from chatd.domain.family import (
    FamilyLimits,
    SpawnCall,
    archiving,
    check_spawn,
    child_id_of,
    stopping,
)
from chatd.domain.ids import CallId, ChatId, MessageId, Micros
from chatd.domain.message import Usage
from chatd.domain.transitions.chat.archive import Archive
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.domain.usage.totals import Totals
from chatd.errors import LimitReached, NotAllowed
from tests.traceability import proves
from tests.words import OWNER

CALL = SpawnCall(parent_id=ChatId("root"), message_id=MessageId(2), call_id=CallId("spawn"))
OPEN = Call(
    message_id=MessageId(2),
    id=CallId("spawn"),
    ordinal=0,
    tool="spawn_agent",
    kind=Kind.LOCAL,
    effect=Effect.REPEATABLE,
    state=CallState.STARTED,
    args={},
    created_at=Micros(0),
)


def chat(name: str, status: Status = Status.RUNNING, *, parent: str | None = None, cost: int = 0) -> Chat:
    return Chat(
        id=ChatId(name),
        owner_id=OWNER,
        created_at=Micros(0),
        updated_at=Micros(0),
        status=status,
        title=name,
        parent_id=ChatId(parent) if parent else None,
        totals=Totals(cost_micros=cost),
    )


def locked(of: Chat) -> LockedChat:
    return LockedChat(chat=of, now=Micros(0), calls=(OPEN,))


ROOT = locked(chat("root"))


def children(*statuses: Status) -> list[Chat]:
    return [chat(f"child {n}", status, parent="root") for n, status in enumerate(statuses)]


def test_the_same_call_always_names_the_same_child_and_no_other_call_does() -> None:
    others = [
        replace(CALL, parent_id=ChatId("other")),
        replace(CALL, message_id=MessageId(3)),
        replace(CALL, call_id=CallId("other")),
    ]

    assert child_id_of(CALL) == child_id_of(CALL) == "c74d1d38-5d05-8c7b-9c24-a10424c8e444"
    assert len({child_id_of(call) for call in (CALL, *others)}) == 4


@proves("subagents", 3)
def test_a_child_cannot_have_children() -> None:
    with pytest.raises(NotAllowed, match="cannot have agents of its own"):
        check_spawn(locked(chat("root", parent="its root")), [], CALL, FamilyLimits())


@pytest.mark.parametrize("status", sorted(set(Status) - {Status.RUNNING}))
def test_a_chat_that_was_stopped_gets_no_child(status: Status) -> None:
    with pytest.raises(NotAllowed, match="is over"):
        check_spawn(locked(chat("root", status)), [], CALL, FamilyLimits())


def test_a_call_that_was_answered_creates_no_child() -> None:
    with pytest.raises(NotAllowed, match="is over"):
        check_spawn(replace(ROOT, calls=()), [], CALL, FamilyLimits())


def test_a_family_has_a_bound_in_all() -> None:
    some = children(Status.WAITING, Status.ERROR)
    check_spawn(ROOT, some, CALL, FamilyLimits(children_max=3))

    with pytest.raises(LimitReached, match="as many as it may have"):
        check_spawn(ROOT, some, CALL, FamilyLimits(children_max=2))


def test_a_family_has_a_bound_for_those_at_work_and_those_that_wait_for_a_person() -> None:
    some = children(Status.WAITING, Status.RUNNING, Status.INTERRUPTING, Status.REQUIRES_ACTION, Status.ERROR)
    check_spawn(ROOT, some, CALL, FamilyLimits(at_work_max=4))

    with pytest.raises(LimitReached, match="3 agents of this chat are at work"):
        check_spawn(ROOT, some, CALL, FamilyLimits(at_work_max=3))


def test_a_family_that_has_cost_enough_gets_no_further_child() -> None:
    root, child = locked(chat("root", cost=600_000)), chat("child", parent="root", cost=400_000)
    check_spawn(root, [child], CALL, FamilyLimits(cost_micros_max=1_000_001))

    with pytest.raises(LimitReached, match=r"have cost 1\.00, and may cost 1\.00"):
        check_spawn(root, [child], CALL, FamilyLimits(cost_micros_max=1_000_000))


def test_a_family_that_has_used_enough_tokens_gets_no_further_child_whatever_they_cost() -> None:
    """Of a model without a price, and also what was read from a cache."""
    root, child = chat("root"), chat("child", parent="root")
    root = replace(root, totals=Totals(usage=Usage(input_tokens=300, output_tokens=100), unpriced=1))
    child = replace(child, totals=Totals(usage=Usage(cache_read_tokens=500, output_tokens=100), unpriced=1))
    check_spawn(locked(root), [child], CALL, FamilyLimits(cost_micros_max=1, tokens_max=1_001))

    with pytest.raises(LimitReached, match="have used 1,000 tokens, and may use 1,000"):
        check_spawn(locked(root), [child], CALL, FamilyLimits(tokens_max=1_000))


def test_tokens_that_are_reported_as_a_total_alone_count() -> None:
    root = replace(chat("root"), totals=Totals(usage=Usage(total_tokens=1_000)))

    with pytest.raises(LimitReached):
        check_spawn(locked(root), [], CALL, FamilyLimits(tokens_max=1_000))


def test_a_stop_reaches_all_that_do_something() -> None:
    some = children(Status.WAITING, Status.RUNNING, Status.INTERRUPTING, Status.REQUIRES_ACTION, Status.ERROR)
    family = [ROOT, *map(locked, some)]

    assert stopping(family, Interrupt()) == {
        ROOT.chat.id: (Interrupt(),),
        "child 1": (Interrupt(),),
        "child 3": (Interrupt(),),
    }


def test_a_stop_of_a_chat_at_rest_reaches_those_that_work_for_it() -> None:
    root = locked(chat("root", Status.WAITING))
    (child,) = map(locked, children(Status.RUNNING))

    assert stopping([root, child], Interrupt()) == {"child 0": (Interrupt(),)}
    # That one turn is meant, which is over: the root has to say so.
    one_turn = Interrupt(message_id=MessageId(1))
    assert stopping([root, child], one_turn)[root.chat.id] == (one_turn,)
    assert stopping([root], Interrupt()) == {"root": (Interrupt(),)}


def test_a_family_at_work_is_not_put_away_and_the_refusal_names_the_member() -> None:
    root = locked(chat("root", Status.WAITING))
    some = map(locked, children(Status.WAITING, Status.REQUIRES_ACTION))

    with pytest.raises(NotAllowed, match="'child 1', which works for this chat, is waiting for an answer"):
        archiving([root, *some], Archive(), ())
