"""chatd skill: the caller's own skills."""

import json
from pathlib import Path

from chatd.storage.transactions.transact import Store
from tests.cli.caller import ran
from tests.support.served import served

DEPLOY = "---\nname: deploy\ndescription: How I ship.\n---\nCarefully.\n"


async def test_a_skill_is_added_listed_shown_replaced_and_removed(store: Store, tmp_path: Path) -> None:
    (tmp_path / "deploy").mkdir()
    (tmp_path / "deploy" / "SKILL.md").write_text(DEPLOY)
    async with served(store) as server:
        added = await ran(tmp_path, server, "skill", "add", "deploy")
        assert added.output == "deploy is there. Agents are told of it from the next turn on.\n"
        assert (await ran(tmp_path, server, "skill", "ls")).output == ("SKILL   ABOUT\ndeploy  How I ship.\n")
        assert (await ran(tmp_path, server, "skill", "show", "deploy")).output == DEPLOY

        better = DEPLOY.replace("How", "Where")
        refused = await ran(tmp_path, server, "skill", "add", "-", given=better)
        assert (refused.code, "--replace replaces it." in refused.errors) == (1, True)
        replaced = await ran(tmp_path, server, "skill", "add", "-", "--replace", "--json", given=better)
        assert json.loads(replaced.output)["description"] == "Where I ship."

        assert (await ran(tmp_path, server, "skill", "rm", "deploy")).code == 0
        empty = await ran(tmp_path, server, "skill", "ls")
        assert (empty.output, "`chatd skill add FILE` adds one" in empty.errors) == ("", True)


async def test_what_cannot_be_added_is_told_in_a_sentence(store: Store, tmp_path: Path) -> None:
    (tmp_path / "picture").write_bytes(b"\xff\xfe")
    async with served(store) as server:
        missing = await ran(tmp_path, server, "skill", "add", "none.md")
        binary = await ran(tmp_path, server, "skill", "add", "picture")
        no_skill = await ran(tmp_path, server, "skill", "add", "-", given="Carefully.")
        unknown = await ran(tmp_path, server, "skill", "show", "deploy")

    assert "Cannot read none.md: No such file or directory." in missing.errors
    assert "picture is not text in UTF-8." in binary.errors
    assert "It does not begin with a line `---`." in no_skill.errors
    assert "You have no skill 'deploy'." in unknown.errors
