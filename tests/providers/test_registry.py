"""How the rows of the catalog become models."""

import pytest

from chatd.providers.capabilities.target import DialectName
from chatd.providers.registry import limits_of


@pytest.mark.parametrize(
    ("dialect", "silence", "first"),
    [
        (DialectName.ANTHROPIC, 300, 60),
        (DialectName.RESPONSES, 900, 60),
        (DialectName.CHAT, 300, 300),
        (DialectName.GEMINI, 900, 900),
        (DialectName.CONVERSE, 5, 60),
    ],
)
def test_a_model_whose_server_is_quiet_until_it_speaks_may_think_first(
    dialect: DialectName, silence: float, first: float
) -> None:
    limits = limits_of(dialect, silence)

    assert (limits.first_byte_seconds, limits.silence_seconds) == (first, silence)
