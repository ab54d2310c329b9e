"""chatd share --link and its relatives."""

import json
from pathlib import Path

from chatd.accounts.sharing.handing_over import Keep
from chatd.cli.flags import sharing
from chatd.client import AsyncClient, AsyncGuest
from chatd.domain.people.links import Included
from chatd.domain.people.permit import Policy
from chatd.storage.transactions.transact import Store
from tests.cli.caller import ran
from tests.support.served import Served, served

LINKS_ON = Policy(public_links=True)


async def a_chat(server: Served) -> str:
    async with AsyncClient(server.address, server.token) as owner:
        return (await owner.create_chat("hello")).id


def test_the_flags_know_what_can_be_kept_and_included() -> None:
    assert set(sharing.KEPT) == set(Keep)
    assert set(sharing.INCLUDED) == set(Included)


async def test_a_link_is_made_listed_and_ended(store: Store, tmp_path: Path) -> None:
    async with served(store, policy=LINKS_ON) as server:
        chat_id = await a_chat(server)

        made = await ran(tmp_path, server, "share", chat_id, "--link", "--live", "--include", "tools")
        address, _, code = made.output.strip().partition("#")
        assert (made.code, address) == (0, f"{server.address}/s")
        assert "Anybody who has this link reads the chat until" in made.errors
        assert "what is said from now on, and tools" in made.errors
        async with AsyncGuest(server.address, code) as guest:
            assert (await guest.chat()).include == ("tools",)

        listed = await ran(tmp_path, server, "share", chat_id, "--links")
        header, row = listed.output.splitlines()
        assert header.split() == ["ID", "ENDS", "SHOWS", "BESIDE", "WORDS", "OPENED"]
        link_id = row.split()[0]
        assert row.split()[2:4] == ["live", "tools"]
        (as_json,) = json.loads((await ran(tmp_path, server, "share", chat_id, "--links", "--json")).output)
        assert (as_json["id"], as_json["code"]) == (link_id, None)

        ended = await ran(tmp_path, server, "unshare", chat_id, "--link", link_id)
        assert (ended.code, ended.output) == (0, "Nobody reads it by this link any more.\n")
        assert (await ran(tmp_path, server, "share", chat_id, "--links")).output == ""
        again = await ran(tmp_path, server, "unshare", chat_id, "--link", link_id)
        assert (again.code, "has no public link" in again.errors) == (1, True)


async def test_a_server_without_public_links_says_so(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        refused = await ran(tmp_path, server, "share", await a_chat(server), "--link", "--json")

    assert refused.code == 1
    assert "On this server there are no public links." in refused.errors


async def test_what_does_not_go_together_is_told(store: Store, tmp_path: Path) -> None:
    async with served(store, policy=LINKS_ON) as server:
        misused = [
            await ran(tmp_path, server, "share", "ID", "anna", "--link"),
            await ran(tmp_path, server, "share", "ID", "--everyone", "--links"),
            await ran(tmp_path, server, "share", "ID", "--live"),
            await ran(tmp_path, server, "share", "ID", "--link", "--days", "91"),
            await ran(tmp_path, server, "unshare", "ID", "anna", "--link", "some"),
        ]

    assert {each.code for each in misused} == {2}
