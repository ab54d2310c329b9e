import json
import re

import chatd
from chatd.api.openapi import document
from chatd.api.routes import ROUTES, STREAMS
from tests.api.client import Client


def test_every_route_is_described() -> None:
    described = json.loads(document())

    assert described["openapi"] == "3.1.0"
    assert described["info"]["version"] == chatd.__version__
    assert {(path, method) for path, operations in described["paths"].items() for method in operations} == {
        (route.path, route.method.lower()) for route in ROUTES
    } | {(stream.path, "get") for stream in STREAMS}


def test_every_reference_leads_somewhere() -> None:
    text = document().decode()
    names = set(re.findall(r'"#/components/schemas/(\w+)"', text))

    assert names == set(json.loads(text)["components"]["schemas"])


def test_operations_have_names_of_their_own() -> None:
    operations = re.findall(r'"operationId": "(\w+)"', document().decode())

    assert len(operations) == len(set(operations)) == len(ROUTES) + len(STREAMS)


def test_the_document_is_the_same_each_time() -> None:
    assert document() == document()


async def test_the_server_describes_itself(client: Client) -> None:
    answer = await client.get("/api/v1/openapi.json")

    assert answer.body == document()
