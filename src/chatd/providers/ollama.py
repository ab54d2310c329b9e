"""Ollama on this machine: found by itself, if it is there."""

import aiohttp
import msgspec
from msgspec import Struct

ADDRESS = "http://127.0.0.1:11434"
# It is on this machine: either it answers at once, or it is not there.
SECONDS_MAX = 0.5
MODELS_MAX = 100
ANSWER_BYTES_MAX = 1024 * 1024


class _Model(Struct, frozen=True):
    name: str


class _Tags(Struct, frozen=True):
    models: tuple[_Model, ...] = ()


_tags = msgspec.json.Decoder(_Tags)


async def ollama_models(address: str = ADDRESS) -> tuple[str, ...]:
    """The models of the server at this address; none when nothing there looks like one."""
    timeout = aiohttp.ClientTimeout(total=SECONDS_MAX)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.get(f"{address}/api/tags", allow_redirects=False) as answer,
        ):
            found = _tags.decode(await answer.content.read(ANSWER_BYTES_MAX))
    except (aiohttp.ClientError, OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return ()
    return tuple(sorted(model.name for model in found.models[:MODELS_MAX]))
