import pytest

from chatd.accounts.users import create_user
from chatd.domain.ids import UserId
from chatd.domain.people.roles import UserRole
from chatd.errors import LimitReached
from chatd.mcp.workspace import trust as module
from chatd.mcp.workspace.trust import TrustStore
from chatd.storage.database import Database
from tests.conftest import OWNER


async def test_what_a_user_trusts_is_of_that_user_and_that_directory_alone(database: Database) -> None:
    other = (await create_user(database, "other", UserRole.MEMBER)).id
    trust = TrustStore(database)
    await trust.trust(OWNER, "/a", "one")

    async def known(user_id: UserId, root: str) -> str | None:
        return await trust.digest_of(user_id, root)

    assert await known(OWNER, "/a") == "one"
    assert await known(OWNER, "/a/b") is None
    assert await known(other, "/a") is None


async def test_trust_is_for_one_content_and_can_be_withdrawn(database: Database) -> None:
    trust = TrustStore(database)
    await trust.trust(OWNER, "/a", "one")
    await trust.trust(OWNER, "/a", "two")
    assert await trust.digest_of(OWNER, "/a") == "two"

    await trust.withdraw(OWNER, "/a")
    await trust.withdraw(OWNER, "/a")
    assert await trust.digest_of(OWNER, "/a") is None


async def test_a_directory_may_have_a_name_that_is_no_text(database: Database) -> None:
    trust = TrustStore(database)
    await trust.trust(OWNER, "/\udcff", "one")

    assert await trust.digest_of(OWNER, "/\udcff") == "one"


async def test_what_is_kept_has_a_bound(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TRUSTED_MAX", 2)
    trust = TrustStore(database)
    for root in ("/a", "/b", "/b"):
        await trust.trust(OWNER, root, "one")

    with pytest.raises(LimitReached):
        await trust.trust(OWNER, "/c", "one")
