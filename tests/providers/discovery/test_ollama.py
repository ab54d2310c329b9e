"""Ollama is asked without being told to, so whatever answers at its address must not harm the server."""

import asyncio
import json

import pytest

from chatd.catalog.models.declared import declare
from chatd.providers.discovery import ollama
from chatd.providers.discovery.ollama import MODELS_MAX, ollama_models
from tests.providers.transport.server import Exchange, serving

# In which the reader, who is in the same loop, gets what there is.
TURNS_OF_THE_LOOP = 20


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is."""
    monkeypatch.setattr(ollama, "SECONDS_MAX", 60.0)


async def models_of(*pieces: bytes) -> tuple[str, ...]:
    async def script(exchange: Exchange) -> None:
        exchange.begin(content_type="application/json")
        for piece in pieces:
            exchange.say(piece)
            for _ in range(TURNS_OF_THE_LOOP):
                await asyncio.sleep(0)
        exchange.end()

    async with serving(script) as server:
        return await ollama_models(server.address)


def tags(*names: str) -> bytes:
    return json.dumps({"models": [{"name": name, "size": 1} for name in names]}).encode()


async def test_a_long_list_that_comes_in_pieces_is_read_to_its_end() -> None:
    names = [f"model-{number:02}" for number in range(60)]
    body = tags(*names)

    assert await models_of(body[:100], body[100:1000], body[1000:]) == tuple(names)


async def test_names_that_no_model_can_have_are_left_out_and_the_server_goes_on() -> None:
    found = await models_of(tags("llama", "llama", "", " blank", "a\nb", "x" * 201, "\N{SNOWMAN}"))

    assert found == ("llama", "\N{SNOWMAN}")
    assert [each.model for each in declare(ollama=found).models] == [*found, "scripted"]


@pytest.mark.parametrize(
    "body",
    [b"", b"no", b"[]", b'{"models": 1}', b"\xff", b'{"x":' + b"[" * 100_000, b'{"models": [' + b" " * 2**20],
    ids=["empty", "no JSON", "a list", "a number", "no text", "deep", "too long"],
)  # fmt: skip
async def test_what_is_no_list_of_models_is_none(body: bytes) -> None:
    assert await models_of(body) == ()


async def test_there_are_no_more_models_than_anyone_has() -> None:
    assert len(await models_of(tags(*map(str, range(2 * MODELS_MAX))))) == MODELS_MAX


async def test_where_no_server_listens_there_are_none() -> None:
    assert await ollama_models("http://127.0.0.1:1") == ()


async def test_models_that_only_make_numbers_of_text_are_not_offered() -> None:
    listed = [
        {"name": "qwen3", "details": {"family": "qwen3"}},
        {"name": "bge-m3", "details": {"family": "bert"}},
        {"name": "nomic-embed-text", "details": {"family": "nomic-bert"}},
        {"name": "qwen3-embedding", "details": None},
        {"name": "gemma3", "capabilities": ["completion", "vision"]},
        {"name": "granite", "capabilities": ["embedding"]},
    ]

    assert await models_of(json.dumps({"models": listed}).encode()) == ("gemma3", "qwen3")
