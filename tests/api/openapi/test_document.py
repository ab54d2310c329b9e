import json
import re

import pytest

import chatd
from chatd.api.bodies import Nothing
from chatd.api.openapi.document import document
from chatd.api.openapi.operations import OPERATIONS, TAGS
from chatd.api.openapi.refusals import refusals_of
from chatd.api.router import AnyRoute
from chatd.api.routes import ROUTES, STREAMS
from chatd.domain.people.deeds import CHAT_DEEDS, OTHER_DEEDS, Cell, Deed
from tests.api.client import Client
from tests.api.described import followed, operations


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


def test_every_operation_has_a_name_of_its_own_and_no_name_is_left_over() -> None:
    names = [name for tag in TAGS for name in tag.operations]
    described = [operation["operationId"] for _, _, operation in operations()]

    assert sorted(described) == sorted(names)
    assert len(names) == len(set(names)) == len(OPERATIONS) == len(ROUTES) + len(STREAMS)


def test_names_are_good_methods_in_every_language() -> None:
    """A verb, then what it is about."""
    names = [operation["operationId"] for _, _, operation in operations()]

    assert [name for name in names if re.fullmatch(r"[a-z]+(_[a-z0-9]+)+", name) is None] == []


def test_every_tag_is_described_once() -> None:
    described = json.loads(document())["tags"]

    assert [tag["name"] for tag in described] == [tag.name for tag in TAGS]
    assert all(tag["description"].endswith(".") for tag in described)


def test_the_document_is_the_same_each_time() -> None:
    assert document() == document()


@pytest.mark.parametrize(
    ("shape", "always", "at_times"),
    [
        ("ChatView", {"held_up", "last_error", "access"}, {"found", "labels", "queue", "instructions"}),
        ("MessageView", {"id", "content"}, {"usage", "cost_micros", "turn_end", "cut_off"}),
        ("DebugRunView", {"finished_at", "summary"}, {"steps"}),
        ("ProviderView", {"has_api_key"}, {"base_url", "api_key"}),
        ("DebugStep", {"attempts", "error"}, set()),
    ],
)
def test_fields_that_an_answer_always_has_are_required_and_no_other(
    shape: str, always: set[str], at_times: set[str]
) -> None:
    described = json.loads(document())["components"]["schemas"][shape]
    optional = set(described["properties"]) - set(described["required"])

    assert always <= set(described["required"])
    assert at_times == optional & at_times
    assert at_times or not optional


def test_what_may_be_left_out_of_a_request_is_optional_also_where_answers_have_it() -> None:
    assert json.loads(document())["components"]["schemas"]["ClientToolInput"]["required"] == ["name"]


def test_an_exported_chat_is_described_as_an_imported_one() -> None:
    paths = json.loads(document())["paths"]
    exported = paths["/api/v1/chats/{chat_id}/export"]["get"]["responses"]["200"]
    imported = paths["/api/v1/chats/import"]["post"]["requestBody"]

    assert exported["content"]["application/json"] == imported["content"]["application/json"]


def test_every_status_is_named() -> None:
    """What is not named fails the tests in which it is answered: `check_answer` in described.py."""
    for method, path, operation in operations():
        assert "default" not in operation["responses"], (method, path)
        for status, response in operation["responses"].items():
            assert followed(response)["description"], (method, path, status)


# Identity providers add parameters of their own.
TAKES_ANYTHING = {"/api/v1/auth/oidc/callback"}


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
async def test_refusals_that_all_such_routes_have_are_answered(
    client: Client, anonymous: Client, route: AnyRoute
) -> None:
    path = re.sub(r"\{\w+\}", "1", route.path)
    named = refusals_of(route)
    may = route.deed in CHAT_DEEDS or OTHER_DEEDS[route.deed].member is Cell.YES

    strange = await client.ask(route.method, f"{path}?surely-not=1", b"{}")
    assert strange.status in named
    if route.path not in TAKES_ANYTHING:
        assert strange.status == (400 if may else 403)
    unknown = await anonymous.ask(route.method, path, b"{}")
    # Guests are nobody, and are told that there is nothing.
    asks_who = route.deed is not Deed.ENTER and not route.for_guests
    assert (unknown.status == 401) is asks_who
    assert (unknown.status == 404) >= route.for_guests
    assert 401 in named or not asks_who
    if route.body is not Nothing and may and route.deed is not Deed.ENTER:
        long = await client.ask(route.method, path, b"", headers={"content-length": str(2**40)})
        assert long.status == 413
        assert 413 in named
