"""chatd advisor: see and set up the second model that agents can ask."""

import json
from pathlib import Path

from chatd.storage.transactions.transact import Store
from tests.cli.caller import ran
from tests.support.served import served


async def test_it_is_switched_on_changed_and_switched_off(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        admin = await server.as_admin()
        first = await ran(tmp_path, server, "advisor", "show")
        on = await ran(tmp_path, admin, "advisor", "set", "--on", "--model", "some/model", "--effort", "low")
        more = await ran(tmp_path, admin, "advisor", "set", "--uses", "3", "--for-children", "--json")
        back = await ran(tmp_path, admin, "advisor", "set", "--model", "chat", "--output-tokens", "2000")
        off = await ran(tmp_path, admin, "advisor", "set", "--off")

    assert first.output == "Agents have no advisor. `chatd advisor set --on` gives them one.\n"
    assert on.output.splitlines() == [
        "Agents have an advisor: some/model, which thinks with the effort low.",
        "They may ask as often as they like, for advice of the usual length at most.",
        "Agents that work for other agents have none.",
    ]
    assert json.loads(more.output) == {
        "enabled": True,
        "max_uses_per_turn": 3,
        "max_output_tokens": 0,
        "model": "some/model",
        "reasoning_effort": "low",
        "for_children": True,
    }
    # An effort was of the model that is no more.
    assert back.output.splitlines()[:2] == [
        "Agents have an advisor: the model of their chat.",
        "They may ask 3 times in a turn, for advice of 2,000 tokens at most.",
    ]
    assert off.output.startswith("Agents have no advisor.")


async def test_a_user_cannot_change_it(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        refused = await ran(tmp_path, server, "advisor", "set", "--on")

    assert (refused.code, refused.output) == (1, "")
    assert "administrator" in refused.errors
