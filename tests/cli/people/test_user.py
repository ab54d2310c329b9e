"""chatd user and chatd token."""

import json
from pathlib import Path

from chatd.accounts.tokens.tokens import OLD_SECONDS_MAX, TOKEN_DAYS_MAX
from chatd.accounts.users import create_user
from chatd.cli.flags import people
from chatd.domain.people.roles import UserRole
from chatd.domain.people.scopes import TokenScope
from chatd.storage.transactions.transact import Store
from tests.cli.caller import ran
from tests.support.served import served


def test_the_flags_know_every_role_and_scope() -> None:
    assert set(people.ROLES) == set(UserRole)
    assert set(people.SCOPES) == set(TokenScope)
    assert (people.DAYS_MAX, people.OLD_SECONDS_MAX) == (TOKEN_DAYS_MAX, OLD_SECONDS_MAX)


async def test_a_user_is_added_listed_changed_suspended_deleted_and_brought_back(
    store: Store, tmp_path: Path
) -> None:
    async with served(store) as member:
        server = await member.as_admin()

        added = await ran(
            tmp_path, server, "user", "add", "Anna", "--role", "viewer", "--name", "Anna Arendt"
        )
        assert added.output.startswith(f"{server.address}/sign-in#")
        assert "Send this link to Anna." in added.errors
        assert (await ran(tmp_path, server, "user", "set", "anna", "--role", "member")).code == 0
        assert (await ran(tmp_path, server, "user", "suspend", "anna")).code == 0
        listed = await ran(tmp_path, server, "user", "ls")
        assert listed.output.splitlines()[:2] == [
            "USER   ROLE    STATE      NAME",
            "Anna   member  suspended  Anna Arendt",
        ]
        assert (await ran(tmp_path, server, "user", "activate", "anna")).code == 0
        linked = await ran(tmp_path, server, "user", "link", "anna", "--json")
        assert json.loads(linked.output)["link"].startswith(f"{server.address}/sign-in#")

        deleted = await ran(tmp_path, server, "user", "rm", "anna", "--chats", "archive")
        user_id = deleted.errors.partition("chatd user restore ")[2].partition("`")[0]
        gone = await ran(tmp_path, server, "user", "suspend", "anna")
        assert "There is no user 'anna'. `chatd user ls` lists them." in gone.errors
        restored = await ran(tmp_path, server, "user", "restore", user_id)
        assert "Anna is there again" in restored.errors


async def test_only_administrators_see_users(store: Store, tmp_path: Path) -> None:
    await create_user(store.db, "root", UserRole.ADMIN)
    async with served(store) as member:
        refused = await ran(tmp_path, member, "user", "ls")

    assert refused.code == 1
    assert "people.read" in refused.errors


async def test_a_token_is_made_listed_rotated_and_revoked(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        made = await ran(tmp_path, server, "token", "add", "laptop", "--days", "3")
        assert made.output.startswith("chatd_")
        scoped = await ran(tmp_path, server, "token", "add", "reader", "--scope", "chats:read", "--json")
        token = json.loads(scoped.output)
        assert token["scopes"] == ["chats:read"]

        listed = (await ran(tmp_path, server, "token", "ls")).output
        assert "laptop" in listed
        assert made.output.strip() not in listed
        rotated = await ran(tmp_path, server, "token", "rotate", token["id"], "--old-seconds", "60")
        assert rotated.output.strip() not in (token["token"], "")
        assert (await ran(tmp_path, server, "token", "rm", token["id"])).code == 0
        assert (await ran(tmp_path, server, "token", "rm", token["id"])).code == 1
