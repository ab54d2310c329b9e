"""The examples of the description, sent."""

import json
from typing import Any

import pytest
from starlette.types import ASGIApp

from chatd.api.app import build
from chatd.api.openapi.examples import EXAMPLES
from chatd.api.openapi.operations import OPERATIONS
from chatd.domain.people.permit import Policy
from chatd.storage.transactions.transact import Store
from tests.api.client import Client
from tests.api.described import DESCRIBED, encoded, operations, problem_of
from tests.support.catalog_stores import some_catalog_store

ROUTE_OF = {operation.name: route for route, operation in OPERATIONS.items()}
ALL = [(operation, name) for operation, examples in EXAMPLES.items() for name in examples]


@pytest.fixture
def app(store: Store) -> ASGIApp:
    """One that allows public links."""
    return build(store, catalog_store=some_catalog_store(store), policy=Policy(public_links=True))


@pytest.mark.parametrize(("operation", "name"), ALL)
async def test_an_example_is_understood(admin: Client, operation: str, name: str) -> None:
    """There is nothing that it could answer, or a worker to stop; but no example is wrong."""
    chat_id = (await admin.start_chat("wait 3600"))["id"]
    user_id = (await admin.post("/api/v1/users", {"name": "anna"})).json["id"]
    names = {"chat_id": chat_id, "message_id": 1, "kind": "user", "subject": user_id}
    method, _, path = ROUTE_OF[operation].partition(" ")

    answer = await admin.ask(
        method, path.format(**names), json.dumps(EXAMPLES[operation][name].body).encode()
    )

    assert answer.status in (200, 201, 409), answer.body


@pytest.mark.parametrize(("operation", "name"), ALL)
def test_an_example_fits_what_is_described(operation: str, name: str) -> None:
    content = described(operation)["requestBody"]["content"]["application/json"]

    example = content["examples"][name]

    assert example["summary"].endswith(".")
    assert problem_of(encoded(content["schema"]), json.dumps(example["value"]).encode()) is None


def described(operation: str) -> Any:
    return next(each for _, _, each in operations() if each["operationId"] == operation)


def test_what_people_begin_with_has_examples() -> None:
    assert {"create_chat", "send_message", "submit_actions"} <= set(EXAMPLES)
    assert DESCRIBED["info"]["description"].startswith("A server for durable AI agent chats.")
