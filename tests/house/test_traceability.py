from tests.traceability import BEHAVIOURS, SUPERSEDED
from tools.traceability import proofs


def test_every_behaviour_has_a_test_or_a_reason() -> None:
    wanted = {(name, number) for name, count in BEHAVIOURS.items() for number in range(1, count + 1)}
    covered = set(proofs()) | set(SUPERSEDED)

    assert sorted(wanted - covered) == []


def test_no_behaviour_is_both_proven_and_superseded() -> None:
    assert set(proofs()) & set(SUPERSEDED) == set()
