"""chatd group and chatd service."""

import json
from pathlib import Path

from chatd.accounts.services.services import END_USERS_MAX
from chatd.cli.flags import services
from chatd.client import AsyncClient
from chatd.domain.people.acting import ActsFor
from chatd.storage.transactions.transact import Store
from tests.cli.caller import ran
from tests.support.served import served


def test_the_flags_know_for_whom_services_speak() -> None:
    assert set(services.ACTS_FOR) == set(ActsFor)
    assert services.END_USERS_MAX == END_USERS_MAX


async def test_a_group_is_made_filled_renamed_and_deleted(store: Store, tmp_path: Path) -> None:
    async with served(store) as member:
        server = await member.as_admin()
        for words in (
            ("user", "add", "anna"),
            ("group", "add", "Sales"),
            ("group", "join", "sales", "Anna"),
            ("group", "rename", "sales", "Support"),
        ):
            assert (await ran(tmp_path, server, *words)).code == 0, words

        listed = await ran(tmp_path, server, "group", "ls")
        members = await ran(tmp_path, server, "group", "members", "support", "--json")

        assert [line.split() for line in listed.output.splitlines()] == [
            ["GROUP", "MEMBERS", "SOURCE"],
            ["Support", "1", "local"],
        ]
        assert [each["name"] for each in json.loads(members.output)["users"]] == ["anna"]
        assert (await ran(tmp_path, server, "group", "leave", "support", "anna")).code == 0
        again = await ran(tmp_path, server, "group", "leave", "support", "anna")
        assert "anna is not in Support." in again.errors
        assert (await ran(tmp_path, server, "group", "rm", "support")).code == 0
        gone = await ran(tmp_path, server, "group", "rm", "support")
        assert "There is no group 'support'. `chatd group ls` lists them." in gone.errors


async def test_a_service_is_added_given_a_token_changed_and_deleted(store: Store, tmp_path: Path) -> None:
    async with served(store) as member:
        server = await member.as_admin()
        added = await ran(tmp_path, server, "service", "add", "shop", "--acts-for", "end_users")
        assert "`chatd service token shop NAME` makes one." in added.errors
        scopes = ("--scope", "act_as", "--scope", "chats:read")
        token = await ran(tmp_path, server, "service", "token", "shop", "backend", *scopes)

        async with AsyncClient(server.address, token.output.strip(), user="customer-7") as client:
            assert (await client.chats()).chats == ()
        end_users = await ran(tmp_path, server, "service", "end-users", "shop")
        assert end_users.output.splitlines()[1].split()[:2] == ["customer-7", "active"]

        await ran(tmp_path, server, "group", "add", "staff")
        assert (await ran(tmp_path, server, "service", "set", "shop", "--group", "staff")).code == 0
        listed = await ran(tmp_path, server, "service", "ls")
        assert listed.output.splitlines()[1].split() == ["shop", "member", "active", "group", "staff", "1"]
        nothing = await ran(tmp_path, server, "service", "set", "shop")
        assert "Say what to change" in nothing.errors
        deleted = await ran(tmp_path, server, "service", "rm", "shop", "--chats", "archive")
        service_id = deleted.errors.partition("chatd user restore ")[2].partition("`")[0]
        restored = await ran(tmp_path, server, "user", "restore", service_id)
        assert "`chatd service token shop NAME` makes one." in restored.errors
        assert (await ran(tmp_path, server, "service", "rm", "shop", "--chats", "archive")).code == 0
        assert json.loads((await ran(tmp_path, server, "service", "ls", "--json")).output) == {"services": []}
