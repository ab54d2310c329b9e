"""Ollama on this machine: found by itself, if it is there."""

import asyncio
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from chatd.catalog.rules.checks import problem_of_model_name
from chatd.domain.part import Json
from chatd.kit.lazily import lazily

if TYPE_CHECKING:
    import aiohttp
else:
    aiohttp = lazily("aiohttp")

ADDRESS = "http://127.0.0.1:11434"
# It is on this machine: either it answers at once, or it is not there.
SECONDS_MAX = 0.5
MODELS_MAX = 100
ANSWER_BYTES_MAX = 1024 * 1024


class _Model(Struct, frozen=True):
    name: str
    # Newer servers say what it can do; of all of them we know what it is made of.
    capabilities: Json = None
    details: Json = None


class _Tags(Struct, frozen=True):
    models: tuple[_Model, ...] = ()


_tags = msgspec.json.Decoder(_Tags)


async def ollama_models(address: str = ADDRESS) -> tuple[str, ...]:
    """The models of the server at this address; none when nothing there looks like one.

    Any program may answer at that port, so its answer is checked and has bounds.
    """
    if not await _is_listening(address):
        return ()
    timeout = aiohttp.ClientTimeout(total=SECONDS_MAX)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.get(f"{address}/api/tags", allow_redirects=False) as answer,
        ):
            found = _tags.decode(await _whole(answer.content))
    except (aiohttp.ClientError, OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ()
    names = {model.name for model in found.models[:MODELS_MAX] if _speaks(model)}
    return tuple(sorted(name for name in names if problem_of_model_name(name) is None))


async def _is_listening(address: str) -> bool:
    """On most machines nothing is: then there is nothing to ask, and nothing to import for it."""
    place = urlsplit(address)
    try:
        async with asyncio.timeout(SECONDS_MAX):
            _, writer = await asyncio.open_connection(place.hostname, place.port)
    except OSError:
        return False
    writer.close()
    return True


def _speaks(model: _Model) -> bool:
    """False for embedding models, which cannot chat."""
    if isinstance(model.capabilities, list):
        return "completion" in model.capabilities
    family = model.details.get("family") if isinstance(model.details, dict) else ""
    return "bert" not in str(family) and "embed" not in model.name


async def _whole(content: "aiohttp.StreamReader") -> bytes:
    """A long list comes in several pieces. Of one that is too long, not the end, and so no JSON."""
    body = bytearray()
    while len(body) < ANSWER_BYTES_MAX and (piece := await content.readany()):
        body += piece
    return bytes(body[:ANSWER_BYTES_MAX])
