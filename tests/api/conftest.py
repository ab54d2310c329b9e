"""Callers: the owner of chats, a stranger, an administrator, and a caller without a token."""

import pytest
from starlette.types import ASGIApp

from chatd.accounts.tokens.tokens import create_token
from chatd.accounts.users import User, create_user
from chatd.api.app import build
from chatd.domain.ids import UserId
from chatd.domain.people.roles import UserRole
from chatd.storage.transactions.transact import Store
from tests.api.client import Client
from tests.support.catalog_stores import FakeProber, some_catalog_store


@pytest.fixture
def prober() -> FakeProber:
    return FakeProber()


@pytest.fixture
def app(store: Store, prober: FakeProber) -> ASGIApp:
    return build(store, catalog_store=some_catalog_store(store), prober=prober)


@pytest.fixture
async def client(app: ASGIApp, store: Store, owner: UserId) -> Client:
    return Client(app, await create_token(store.db, owner, "test"))


@pytest.fixture
async def stranger(app: ASGIApp, store: Store) -> Client:
    user: User = await create_user(store.db, "stranger", UserRole.MEMBER)
    return Client(app, await create_token(store.db, user.id, "test"))


@pytest.fixture
async def admin(app: ASGIApp, store: Store) -> Client:
    user = await create_user(store.db, "root", UserRole.ADMIN)
    return Client(app, await create_token(store.db, user.id, "test"))


@pytest.fixture
def anonymous(app: ASGIApp) -> Client:
    return Client(app)
