"""Trying a model out: what is said to whoever has just added it."""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any

import pytest

from chatd.catalog.models.probe import ProbeResult
from chatd.domain.ids import UserId
from chatd.errors import ProviderError
from chatd.providers.discovery.probe import SILENCE_SECONDS, TOTAL_SECONDS, ModelProber
from chatd.providers.failures import failed
from chatd.providers.model import Model
from chatd.providers.transport.source import Limits
from tests.clock import MovedClock
from tests.providers.transport.memory import MemoryPost, MemorySource
from tests.providers.transport.plain import model_at, sse
from tests.support.virtual import run_virtually


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


PING = b": ping\n\n"
PATIENT = Limits(first_byte_seconds=3600, silence_seconds=3600, total_seconds=7200)


class Only:
    """One model, under every name."""

    def __init__(self, model: Model) -> None:
        self._model = model

    async def find(self, name: str | None, owner_id: UserId) -> Model:
        return self._model


def virtually(test: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    @wraps(test)
    def run() -> None:
        run_virtually(test())

    del run.__wrapped__
    return run


async def probed(*script: bytes | float, endless: bool = False, after_seconds: float = 0) -> ProbeResult:
    post = MemoryPost(MemorySource(*script, endless=endless), after_seconds=after_seconds)
    model = model_at("http://localhost", post, limits=PATIENT)
    result = await ModelProber(Only(model), MovedClock()).probe("acme/slow")
    assert all(source.closed for source in post.sources if after_seconds <= SILENCE_SECONDS)
    return result


@virtually
async def test_a_model_that_streams_its_thoughts_is_waited_for() -> None:
    thoughts = [piece for _ in range(5) for piece in (SILENCE_SECONDS - 1, sse("hm"))]

    result = await probed(sse("[BEGIN]"), *thoughts, sse(" ready", "[END]"))

    assert (result.is_well, result.says) == (True, "It answered: hmhmhmhmhm ready")


@virtually
async def test_a_model_whose_server_only_says_that_it_is_at_work_is_waited_for() -> None:
    pings = [piece for _ in range(4) for piece in (SILENCE_SECONDS - 1, PING)]

    result = await probed(*pings, sse("[BEGIN]", "ready", "[END]"))

    assert (result.is_well, result.says) == (True, "It answered: ready")


@pytest.mark.parametrize("after_seconds", [0, SILENCE_SECONDS * 2], ids=["in between", "at the beginning"])
def test_a_model_that_falls_silent_is_given_up(after_seconds: float) -> None:
    result = run_virtually(probed(sse("[BEGIN]"), endless=True, after_seconds=after_seconds))

    assert (result.is_well, result.kind) == (False, "timeout")
    assert result.says == f"Nothing came for {SILENCE_SECONDS:g} seconds."


@virtually
async def test_a_model_that_never_ends_is_given_up_after_a_while() -> None:
    pings = [piece for _ in range(int(TOTAL_SECONDS) // 10 * 2) for piece in (10, PING)]

    result = await probed(*pings, sse("[BEGIN]", "ready", "[END]"))

    assert (result.is_well, result.kind) == (False, "timeout")
    assert result.says == f"It answers, and had not finished after {TOTAL_SECONDS:g} seconds."
