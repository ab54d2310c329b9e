"""Trying a model out: what is said to whoever has just added it."""

import pytest

from chatd.domain.ids import UserId
from chatd.errors import ProviderError
from chatd.providers.failures import failed
from chatd.providers.model import Model
from chatd.providers.probe import ModelProber
from tests.clock import MovedClock


class Failing:
    """Models that cannot even be found."""

    def __init__(self, error: ProviderError) -> None:
        self._error = error

    async def find(self, name: str | None, owner_id: UserId) -> Model:
        raise self._error


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("transport", "Check its address, and whether it runs. (why)"),
        ("invalid_response", "Check its address: something else may answer there. (why)"),
        ("auth", "Check the key and whether it is still valid. (why)"),
    ],
)
async def test_what_would_be_tried_again_in_a_chat_says_what_to_look_at(fault: str, says: str) -> None:
    error = failed(fault, provider="acme", detail="why")

    result = await ModelProber(Failing(error), MovedClock()).probe("acme/one")

    assert (result.is_well, result.kind) == (False, error.kind)
    assert "acme" in result.says
    assert result.says.endswith(f". {says}")
