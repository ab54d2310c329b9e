import pytest

from tests.fuzz.run import try_range
from tests.fuzz.wires import WIRES

# As many as take a second or two in all. `make fuzz` tries other ones, and many more.
STREAMS = 400
SEED = 20261116


@pytest.mark.parametrize("name", list(WIRES))
def test_no_damaged_answer_is_more_than_a_typed_failure(name: str) -> None:
    tally = try_range(name, SEED, range(STREAMS))

    assert [failure.replay + "\n" + failure.why for failure in tally.failures] == []
    # Damage that nothing survives would test nothing.
    assert tally.outcomes["sent again"] > STREAMS / 20
    assert tally.outcomes["failed"] > STREAMS / 20
