import os
import stat
from pathlib import Path

import pytest

from chatd.accounts.admin import ensure_admin
from chatd.accounts.lives.lives import UserChange, change_user, delete_user, suspend_user
from chatd.accounts.users import create_user, profile_of, user_named, user_of_token
from chatd.domain.people.audit import THE_SERVER
from chatd.domain.people.leaving import ChatsOfLeaver, Leaving
from chatd.domain.people.roles import UserRole
from chatd.errors import Misconfigured, Unusable
from chatd.storage.database import Database
from chatd.storage.queries import SqlEngine
from tests.traceability import proves

CHOSEN = "a-token-that-was-chosen"


def token_in(data_dir: Path) -> str:
    return (data_dir / "admin-token").read_text().strip()


async def test_the_first_start_makes_an_administrator_and_a_private_token(
    database: Database, tmp_path: Path
) -> None:
    where = await ensure_admin(database, tmp_path, None)

    user = await user_of_token(database, token_in(tmp_path))
    assert user is not None
    assert (user.name, user.role) == ("admin", UserRole.ADMIN)
    assert where.place == f"in {tmp_path / 'admin-token'}"
    assert token_in(tmp_path).startswith("chatd_")
    assert stat.S_IMODE((tmp_path / "admin-token").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir() if "token" in path.name] == ["admin-token"]


async def test_a_generous_umask_makes_the_token_no_less_private(database: Database, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        await ensure_admin(database, tmp_path, None)
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "admin-token").stat().st_mode) == 0o600


@proves("people", 1)
async def test_later_starts_change_nothing(database: Database, tmp_path: Path) -> None:
    await ensure_admin(database, tmp_path, None)
    first = token_in(tmp_path), await user_named(database, "admin")

    await ensure_admin(database, tmp_path, None)

    assert (token_in(tmp_path), await user_of_token(database, token_in(tmp_path))) == first


async def test_only_a_hash_of_the_token_is_stored(database: Database, tmp_path: Path) -> None:
    await ensure_admin(database, tmp_path, None)
    token = token_in(tmp_path)

    assert await user_of_token(database, token) is not None
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("chatd.db*"))
    assert token.encode() not in stored


async def test_without_its_file_a_new_token_is_made(database: Database, tmp_path: Path) -> None:
    await ensure_admin(database, tmp_path, None)
    old = token_in(tmp_path)
    (tmp_path / "admin-token").unlink()

    await ensure_admin(database, tmp_path, None)

    assert token_in(tmp_path) != old
    assert await user_of_token(database, token_in(tmp_path)) is not None
    # Alone with its database, a server knows that the old one is lost. A replica does not.
    works = await user_of_token(database, old) is not None
    assert works is (database.engine is SqlEngine.POSTGRES)


async def test_a_crash_between_the_file_and_the_database_is_mended(
    database: Database, tmp_path: Path
) -> None:
    """The file is there, and the database has never heard of it."""
    (tmp_path / "admin-token").write_text("chatd_written_before_the_crash\n")

    await ensure_admin(database, tmp_path, None)

    assert await user_of_token(database, "chatd_written_before_the_crash") is not None


async def test_a_file_without_a_token_gets_one(database: Database, tmp_path: Path) -> None:
    (tmp_path / "admin-token").write_text("\n")

    await ensure_admin(database, tmp_path, None)

    assert await user_of_token(database, token_in(tmp_path)) is not None
    assert await user_of_token(database, "") is None


async def test_a_token_from_the_settings_replaces_the_one_before_unless_another_server_may_have_it(
    database: Database, tmp_path: Path
) -> None:
    await ensure_admin(database, tmp_path, None)
    made = token_in(tmp_path)

    where = await ensure_admin(database, tmp_path, CHOSEN)
    await ensure_admin(database, tmp_path, CHOSEN)

    assert where.place == "in the settings (CHATD_ADMIN_TOKEN or admin_token)"
    works = await user_of_token(database, made) is not None
    assert works is (database.engine is SqlEngine.POSTGRES)
    assert await user_of_token(database, CHOSEN) == await user_named(database, "admin")
    assert not (tmp_path / "admin-token").exists()


async def test_a_token_that_leaves_the_settings_stops_working_unless_another_server_may_have_it(
    database: Database, tmp_path: Path
) -> None:
    await ensure_admin(database, tmp_path, CHOSEN)

    await ensure_admin(database, tmp_path, None)

    works = await user_of_token(database, CHOSEN) is not None
    assert works is (database.engine is SqlEngine.POSTGRES)
    assert await user_of_token(database, token_in(tmp_path)) is not None


@pytest.mark.parametrize("first", [None, CHOSEN])
@pytest.mark.parametrize("second", [None, "another-that-was-chosen"])
async def test_a_second_server_never_invalidates_the_token_of_the_first(
    database: Database, tmp_path: Path, first: str | None, second: str | None
) -> None:
    if database.engine is SqlEngine.SQLITE:
        return  # It has no second server.
    tokens = []
    for name, given in (("one", first), ("two", second)):
        (tmp_path / name).mkdir()
        await ensure_admin(database, tmp_path / name, given)
        tokens.append(given or token_in(tmp_path / name))

    assert [await user_of_token(database, token) is not None for token in tokens] == [True, True]


@pytest.mark.parametrize("weak", ["", "short", "x" * 15, "has blanks in between", "schlüssel-schlüssel"])
async def test_a_weak_token_is_refused_and_not_repeated(
    database: Database, tmp_path: Path, weak: str
) -> None:
    with pytest.raises(Misconfigured, match="at least 16 ASCII characters") as refused:
        await ensure_admin(database, tmp_path, weak)

    assert not weak or weak not in str(refused.value)
    assert await user_named(database, "admin") is None


async def test_a_token_file_that_cannot_be_read_is_named(database: Database, tmp_path: Path) -> None:
    (tmp_path / "admin-token").mkdir()

    with pytest.raises(Unusable, match="admin-token"):
        await ensure_admin(database, tmp_path, None)


async def someone_else_who_runs_it(database: Database) -> None:
    await create_user(database, "anna", UserRole.ADMIN)


@proves("people", 2)
async def test_an_administrator_who_was_deleted_comes_back_only_by_a_token_in_the_settings(
    database: Database, tmp_path: Path
) -> None:
    await ensure_admin(database, tmp_path, None)
    admin = await user_named(database, "admin")
    assert admin is not None
    await someone_else_who_runs_it(database)
    await delete_user(database, admin.id, Leaving(chats=ChatsOfLeaver.ARCHIVE, by=THE_SERVER))

    await ensure_admin(database, tmp_path, None)
    assert await user_named(database, "admin") is None

    await ensure_admin(database, tmp_path, "a-token-of-our-own")
    back = await user_of_token(database, "a-token-of-our-own")
    assert back is not None
    assert (back.name, back.role) == ("admin", UserRole.ADMIN)


async def test_a_token_in_the_settings_lets_a_suspended_administrator_in(
    database: Database, tmp_path: Path
) -> None:
    await ensure_admin(database, tmp_path, None)
    admin = await user_named(database, "admin")
    assert admin is not None
    await someone_else_who_runs_it(database)
    await change_user(database, admin.id, UserChange(role=UserRole.VIEWER))
    await suspend_user(database, admin.id)

    await ensure_admin(database, tmp_path, "a-token-of-our-own")

    profile = await profile_of(database, admin.id)
    assert profile is not None
    assert (profile.user.role, profile.suspended_at) == (UserRole.ADMIN, None)
