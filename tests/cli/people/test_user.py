"""chatd user and chatd token."""

import json
from pathlib import Path

from chatd.accounts.tokens.tokens import OLD_SECONDS_MAX, TOKEN_DAYS_MAX
from chatd.accounts.users import create_user, profile_of
from chatd.accounts.ways_in.sign_ins import Browser, Method, begin_sign_in
from chatd.cli.flags import people
from chatd.domain.ids import UserId
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


async def test_browsers_of_a_user_are_listed_and_one_is_signed_out(store: Store, tmp_path: Path) -> None:
    anna = await create_user(store.db, "anna", UserRole.MEMBER)
    for browser in ("Firefox", "x" * 200):
        await _sign_in(store, anna.id, browser)
    async with served(store) as member:
        server = await member.as_admin()

        listed = await ran(tmp_path, server, "user", "sign-ins", "anna")
        found = json.loads((await ran(tmp_path, server, "user", "sign-ins", "anna", "--json")).output)
        [firefox] = [each["id"] for each in found["sign_ins"] if each["browser"] == "Firefox"]
        ended = await ran(tmp_path, server, "user", "sign-ins", "anna", "--end", firefox)
        again = await ran(tmp_path, server, "user", "sign-ins", "anna", "--end", firefox)
        left = json.loads((await ran(tmp_path, server, "user", "sign-ins", "anna", "--json")).output)

    header, *rows = listed.output.splitlines()
    assert header.split() == ["ID", "BY", "LAST", "USED", "ADDRESS", "BROWSER"]
    assert all("192.0.2.7" in row for row in rows[:2])
    assert "x" * 200 not in listed.output
    assert (ended.code, ended.errors.strip()) == (0, "That browser is signed out.")
    assert again.code != 0
    assert [each["browser"] for each in left["sign_ins"]] == ["x" * 200]


async def _sign_in(store: Store, user_id: UserId, browser: str) -> None:
    where = Browser("192.0.2.7", browser)
    await store.db.write(
        lambda tx: begin_sign_in(tx, user_id, where, method=Method.LINK, instead_of=None),
    )


async def test_services_are_not_listed_among_users(store: Store, tmp_path: Path) -> None:
    async with served(store) as member:
        server = await member.as_admin()
        await ran(tmp_path, server, "service", "add", "shop")
        listed = await ran(tmp_path, server, "user", "ls", "--json")

    assert "shop" not in [each["name"] for each in json.loads(listed.output)["users"]]


async def test_who_gets_the_chats_of_a_deleted_user_is_named_before_anything_is_asked(
    store: Store, tmp_path: Path
) -> None:
    async with served(store) as member:
        server = await member.as_admin()
        for words in (("--chats", "transfer"), ("--chats", "archive", "--to", "anna")):
            refused = await ran(tmp_path, server, "user", "rm", "anna", *words)
            assert "`--chats transfer --to USER`" in refused.errors


async def test_an_administrator_says_the_address_of_a_user_and_takes_a_password_away(
    store: Store, tmp_path: Path
) -> None:
    anna = await create_user(store.db, "anna", UserRole.MEMBER)
    async with served(store) as member:
        server = await member.as_admin()
        said = await ran(tmp_path, server, "user", "set", "anna", "--email", "a@example.org", "--no-password")
        assert said.code == 0
        nothing = await ran(tmp_path, server, "user", "set", "anna")
        assert "--email or --no-password" in nothing.errors
    profile = await profile_of(store.db, anna.id)

    assert profile is not None
    assert profile.email == "a@example.org"


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


async def test_an_administrator_lists_rotates_and_revokes_tokens_of_a_service(
    store: Store, tmp_path: Path
) -> None:
    async with served(store) as member:
        server = await member.as_admin()
        await ran(tmp_path, server, "service", "add", "shop")
        made = json.loads(
            (await ran(tmp_path, server, "service", "token", "shop", "backend", "--json")).output
        )
        listed = await ran(tmp_path, server, "token", "ls", "--of", "shop", "--json")
        assert [each["id"] for each in json.loads(listed.output)["tokens"]] == [made["id"]]
        rotated = await ran(tmp_path, server, "token", "rotate", made["id"], "--of", "shop")
        assert rotated.output.strip() not in (made["token"], "")
        assert (await ran(tmp_path, server, "token", "rm", made["id"], "--of", "shop")).code == 0
        listed = await ran(tmp_path, server, "token", "ls", "--of", "shop", "--json")

    assert json.loads(listed.output) == {"tokens": []}
