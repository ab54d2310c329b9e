import pytest

from chatd.domain.call import Call, CallState, Effect, Kind
from chatd.domain.ids import CallId, MessageId, Micros
from chatd.tools.calls.batch import Batch, arrange
from tests.traceability import proves

EXCLUSIVE = frozenset({"alone", "proud"})
SERIAL = frozenset({"later"})


def made(call_id: str, tool: str, kind: Kind = Kind.LOCAL, state: CallState = CallState.OPEN) -> Call:
    return Call(
        message_id=MessageId(1),
        id=CallId(call_id),
        ordinal=0,
        tool=tool,
        kind=kind,
        effect=Effect.READ,
        state=state,
        args={},
        created_at=Micros(0),
    )


def arranged(*calls: Call) -> Batch:
    return arrange(calls, exclusive=EXCLUSIVE, serial=SERIAL)


def told(batch: Batch) -> dict[str, str]:
    assert all(refusal.result.is_error for refusal in batch.refused)
    return {refusal.call.id: refusal.result.result["error"] for refusal in batch.refused}


def test_without_calls_there_is_nothing_to_do() -> None:
    assert arranged() == Batch()


@proves("loop", 20)
def test_serial_calls_come_after_all_others_in_call_order() -> None:
    a, b, c, d = made("a", "later"), made("b", "echo"), made("c", "later"), made("d", "echo")

    assert arranged(a, b, c, d) == Batch(parallel=(b, d), serial=(a, c))


@proves("loop", 19)
def test_an_exclusive_call_alone_runs() -> None:
    alone = made("a", "alone")

    assert arranged(alone) == Batch(parallel=(alone,))


@proves("loop", 19)
@proves("tools", 9)
def test_beside_an_exclusive_call_no_other_runs_and_each_is_told_why() -> None:
    batch = arranged(made("a", "echo"), made("b", "alone"), made("c", "later"))

    assert (batch.parallel, batch.serial) == ((), ())
    assert list(told(batch)) == ["a", "b", "c"]
    assert "alone must be the only call" in told(batch)["a"]
    assert "Call it again, alone." in told(batch)["b"]


@proves("loop", 19)
def test_two_exclusive_calls_stand_in_each_others_way() -> None:
    batch = arranged(made("a", "alone"), made("b", "proud"), made("c", "echo"))

    assert [("alone." in words) for words in told(batch).values()] == [True, True, False]
    assert "alone and proud" in told(batch)["c"]


@proves("loop", 19)
@proves("tools", 11)
def test_a_providers_own_call_is_no_company() -> None:
    alone = made("a", "alone")

    batch = arranged(alone, made("b", "web_search", Kind.PROVIDER))

    assert batch == Batch(parallel=(alone,))


@proves("tools", 10)
def test_a_clients_call_is_company_and_refused_as_well() -> None:
    batch = arranged(
        made("a", "alone"), made("b", "web_search", Kind.PROVIDER), made("c", "tab", Kind.CLIENT)
    )

    assert list(told(batch)) == ["a", "c"]


def test_a_call_that_needs_approval_does_not_run() -> None:
    waits, free = made("a", "echo", state=CallState.NEEDS_APPROVAL), made("b", "echo")

    assert arranged(waits, free) == Batch(parallel=(free,))
    assert arranged(made("a", "alone", state=CallState.NEEDS_APPROVAL)) == Batch()


@pytest.mark.parametrize("waits", ["a", "b", "both"])
def test_a_call_that_needs_approval_counts_as_one_of_its_batch(waits: str) -> None:
    states = {name: CallState.NEEDS_APPROVAL if waits in (name, "both") else CallState.OPEN for name in "ab"}

    batch = arranged(made("a", "alone", state=states["a"]), made("b", "echo", state=states["b"]))

    assert (batch.parallel, batch.serial) == ((), ())
    assert "Call it again, alone." in told(batch)["a"]
    assert "alone must be the only call" in told(batch)["b"]


def test_a_sibling_that_has_its_result_still_counts() -> None:
    batch = arranged(made("a", "echo", state=CallState.FINISHED), made("b", "alone"))

    assert list(told(batch)) == ["a", "b"]
