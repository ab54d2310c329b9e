"""chatd advisor: whether agents have a second model to ask, and which."""

from typing import Any

from msgspec.structs import asdict

from chatd.cli.context import run_loop
from chatd.cli.out import say, say_json
from chatd.cli.remote import client_from
from chatd.client import AsyncClient
from chatd.client.answers import Advisor

# What `--model` says for the model of each chat.
OF_CHAT = "chat"


def show(*, as_json: bool, **flags: object) -> None:
    _tell(run_loop(_show(client_from(flags))), as_json=as_json)


def set_(*, as_json: bool, **given: object) -> None:
    """What was not named on the command line stays as it is."""
    named = {name: given.pop(name) for name in Advisor.__struct_fields__}
    fields = {name: value for name, value in named.items() if value is not None}
    _tell(run_loop(_set(client_from(given), fields)), as_json=as_json)


async def _show(client: AsyncClient) -> Advisor:
    async with client:
        return await client.advisor()


async def _set(client: AsyncClient, given: dict[str, Any]) -> Advisor:
    async with client:
        fields = asdict(await client.advisor())
        if given.get("model") == OF_CHAT:
            given = {**given, "model": None}
        if "model" in given and given["model"] != fields["model"]:
            # How hard to think was said of another model.
            fields["reasoning_effort"] = None
        return await client.set_advisor(**{**fields, **given})


def _tell(advisor: Advisor, *, as_json: bool) -> None:
    if as_json:
        say_json(advisor)
        return
    if not advisor.enabled:
        say("Agents have no advisor. `chatd advisor set --on` gives them one.")
        return
    thinks = f", which thinks with the effort {advisor.reasoning_effort}" if advisor.reasoning_effort else ""
    uses = _uses(advisor.max_uses_per_turn)
    length = f"{advisor.max_output_tokens:,} tokens" if advisor.max_output_tokens else "the usual length"
    say(f"Agents have an advisor: {advisor.model or 'the model of their chat'}{thinks}.")
    say(f"They may ask {uses}, for advice of {length} at most.")
    say(f"Agents that work for other agents have {'it too' if advisor.for_children else 'none'}.")


def _uses(number: int) -> str:
    match number:
        case 0:
            return "as often as they like"
        case 1:
            return "once in a turn"
        case _:
            return f"{number} times in a turn"
