"""The bounds that OpenAPI tells are the ones that the server keeps: at one a value passes, beyond it not."""

import json
import operator
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest
from starlette.types import ASGIApp

from chatd.api import bodies
from chatd.api.app import build
from chatd.api.catalog import bodies as catalog_bodies
from chatd.api.catalog import mcp_bodies
from chatd.api.serving.limits.admission import RequestLimits
from chatd.domain.people.permit import Policy
from chatd.storage.transactions.transact import Store
from tests.api.client import Client
from tests.api.described import DESCRIBED, operations
from tests.api.rates import NO_RATES
from tests.support.catalog_stores import some_catalog_store

# Refusals of a value that is too long or too short, too large or too small, too many or too few.
OF_BOUNDS = frozenset(
    {"bad_label", "bad_title", "bad_value", "blank_text", "no_content", "prompt_too_long", "too_many_labels"}
)

# Where not every value of as many characters, items or fields is accepted, one that is.
SHAPED: Mapping[str, Callable[[int], Any]] = {
    "email": lambda length: "a@a".ljust(length, "a"),
    "base_url": lambda length: "https://a.example/".ljust(length, "a"),
    "proxy": lambda length: "https://a.example/".ljust(length, "a"),
    "client_tools": lambda count: [{"name": f"tool-{number}"} for number in range(count)],
    **{
        name: lambda length: "https://a.example/".ljust(length, "a")
        for name in ("url", "icon_url", "oauth2_auth_url", "oauth2_token_url", "oauth2_revocation_url")
    },
    "custom_headers": lambda count: {f"x-{number}": "a" for number in range(count)},
    "files": lambda count: [
        {"id": f"file-{number}", "name": "a", "media_type": "text/plain", "data": "YQ=="}
        for number in range(count)
    ],
    "env": lambda count: {f"X{number}": "a" for number in range(count)},
    "headers": lambda count: {f"x-{number}": "a" for number in range(count)},
    "labels": lambda count: {f"key-{number}": "a" for number in range(count)},
    "label": lambda count: [f"key-{number}:a" for number in range(count)],
}
# What else a request needs, so that it is not refused for another reason before.
BESIDE: Mapping[str, Any] = {
    "/api/v1/chats/{chat_id}/actions": {"results": [{"tool_call_id": "a", "output": 1}]},
    # There is no such group, which is another refusal.
    "/api/v1/services": {"acts_for": "group", "group_id": "a"},
}
# What has to look a certain way, where "a" does not.
FITTING = {"^[0-9a-f]{64}$": "0" * 64}
# What a refusal calls a field, where it names the part that it is in.
CALLED = {
    "content[0].text": "content[0]",
    "command[0]": "command",
    "tool_allow_list[0]": "tool_allow_list",
    "tool_deny_list[0]": "tool_deny_list",
}
# By keyword: how much further is too far.
BEYOND = {
    "minLength": -1,
    "maxLength": 1,
    "minItems": -1,
    "maxItems": 1,
    "maxProperties": 1,
    "minimum": -1,
    "maximum": 1,
}


class Bound(NamedTuple):
    method: str
    path: str
    # The way to the value, by fields.
    field: str
    keyword: str
    limit: int
    # A value of this size.
    sized: Callable[[int], Any]
    # The whole body, or all parameters, with the value.
    around: Callable[[Any], Any]
    in_query: bool = False

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.field} {self.keyword}"


def alternatives(schema: Any) -> list[Any]:
    if "$ref" in schema:
        schema = DESCRIBED["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    either = schema.get("anyOf") or schema.get("oneOf")
    return [one for each in either for one in alternatives(each)] if either else [schema]


def example(schema: Any) -> Any:
    """The least that is accepted there."""
    schema = alternatives(schema)[0]
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        # A history in which no user speaks is refused.
        return "user" if "user" in schema["enum"] else schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {name: example(schema["properties"][name]) for name in schema.get("required", ())}
        case "array":
            return [example(schema["items"])] * schema.get("minItems", 0)
        case "integer" | "number":
            return max(schema.get("minimum", 1), 1)
        case "boolean":
            return False
        case _:
            return FITTING.get(schema.get("pattern", ""), "a")


def sizer(schema: Any, field: str) -> Callable[[int], Any]:
    name = field.rpartition(".")[2]
    if name in SHAPED:
        return SHAPED[name]
    match schema.get("type"):
        case "string":
            return lambda length: "a" * length
        case "array":
            return lambda count: [example(schema["items"])] * count
        case _:
            return lambda number: number


Found = tuple[str, str, int, Callable[[int], Any], Callable[[Any], Any]]


def bounds_in(schema: Any, field: str, around: Callable[[Any], Any]) -> Iterator[Found]:
    """Every bound of a value, and of what is inside of it."""
    for each in alternatives(schema):
        for keyword in BEYOND:
            if keyword in each:
                yield field, keyword, each[keyword], sizer(each, field), around
        whole = example(each)
        for name, inner in each.get("properties", {}).items():
            yield from bounds_in(inner, f"{field}.{name}".strip("."), _put(around, whole, name))
        if "items" in each:
            yield from bounds_in(each["items"], f"{field}[0]", lambda value: around([value]))


def _put(around: Callable[[Any], Any], whole: Any, name: str) -> Callable[[Any], Any]:
    return lambda value: around({**whole, name: value})


def in_bodies() -> Iterator[Bound]:
    for method, path, operation in operations():
        content = operation.get("requestBody", {}).get("content", {})
        # A file may be any JSON.
        schema = content.get("application/json", {}).get("schema", {}) if len(content) == 1 else {}
        if schema:
            for found in bounds_in(schema, "", partial(operator.or_, BESIDE.get(path, {}))):
                yield Bound(method, path, *found)


def in_queries() -> Iterator[Bound]:
    for method, path, operation in operations():
        for parameter in operation["parameters"]:
            if parameter["in"] == "query" and "watch" not in path and "stream" not in path:
                name = parameter["name"]
                for found in bounds_in(parameter["schema"], name, _put(lambda query: query, {}, name)):
                    yield Bound(method, path, *found, in_query=True)


class Names(NamedTuple):
    """Something that exists for every placeholder of a path."""

    chat_id: str
    message_id: int
    provider_id: str
    model_id: str
    server_id: str
    # Of the user, and of the chat.
    rule_id: str
    user_id: str
    token_id: str
    group_id: str
    link_id: str

    @property
    def provider(self) -> str:
        return self.provider_id


@pytest.fixture
def place(sqlite_template: Path) -> Path:
    """No bound depends on the database."""
    return sqlite_template


@pytest.fixture
def app(store: Store) -> ASGIApp:
    """With as many requests in a minute as are needed."""
    limits = RequestLimits(by_kind=NO_RATES, refreshes_per_minute=0, calls_per_minute=0)
    policy = Policy(public_links=True)
    return build(store, catalog_store=some_catalog_store(store), limits=limits, policy=policy)


@pytest.fixture
async def names(admin: Client) -> Names:
    provider = {"type": "openai", "name": "acme", "user_keys_allowed": True}
    provider_id = (await admin.post("/api/v1/providers", provider)).json["id"]
    model = await admin.post("/api/v1/models", {"provider_id": provider_id, "model": "one"})
    server = {"slug": "desk", "scope": "deployment", "url": "https://desk.example"}
    server_id = (await admin.post("/api/v1/mcp-servers", server)).json["id"]
    chat_id = (await admin.start_chat())["id"]
    rule = {"verdict": "deny"}
    rule_id = (await admin.post("/api/v1/rules", rule)).json["rules"][0]["id"]
    await admin.post(f"/api/v1/chats/{chat_id}/rules", rule)
    user_id = (await admin.post("/api/v1/users", {"name": "anna"})).json["id"]
    token_id = (await admin.post("/api/v1/users/me/tokens", {"name": "some"})).json["id"]
    group_id = (await admin.post("/api/v1/groups", {"name": "design"})).json["id"]
    link_id = (await admin.post(f"/api/v1/chats/{chat_id}/links", {})).json["id"]
    return Names(
        chat_id, 1, provider_id, model.json["id"], server_id, rule_id, user_id, token_id, group_id, link_id
    )


async def is_refused(client: Client, names: Names, bound: Bound, size: int) -> bool:
    """Whether a value of this size is refused, and not for another reason."""
    value = bound.around(bound.sized(size))
    path = bound.path.format(**names._asdict(), provider=names.provider)
    if bound.in_query:
        answer = await client.ask(bound.method, f"{path}?{urlencode(value, doseq=True)}")
    else:
        if "provider_id" in value:
            value["provider_id"] = names.provider_id
        answer = await client.ask(bound.method, path, json.dumps(value).encode())
    if answer.headers.get("content-type", "").startswith("text/plain"):
        # What a person reads in a browser.
        return f"`{bound.field}` must be" in answer.body.decode()
    if answer.status != 400 or answer.error["code"] not in OF_BOUNDS:
        return False
    return bool(answer.error.get("field", "").startswith(CALLED.get(bound.field, bound.field)))


BOUNDS = [*in_bodies(), *in_queries()]


@pytest.mark.parametrize("operation", sorted({f"{bound.method} {bound.path}" for bound in BOUNDS}))
async def test_a_value_at_its_bound_passes_and_one_beyond_it_does_not(
    admin: Client, names: Names, operation: str
) -> None:
    wrong = []
    for bound in BOUNDS:
        if f"{bound.method} {bound.path}" == operation:
            at = await is_refused(admin, names, bound, bound.limit)
            beyond = await is_refused(admin, names, bound, bound.limit + BEYOND[bound.keyword])
            if (at, beyond) != (False, True):
                wrong.append((bound.field, bound.keyword, bound.limit, at, beyond))

    assert wrong == []


def test_the_bounds_of_requests_are_found() -> None:
    """So that a walk that finds nothing does not pass."""
    fields = {(bound.path, bound.field) for bound in BOUNDS}

    assert {
        ("/api/v1/chats", "title"),
        ("/api/v1/chats", "content[0].file_id"),
        ("/api/v1/chats", "history[0].content"),
        ("/api/v1/chats", "options.temperature"),
        ("/api/v1/chats", "limit"),
        ("/api/v1/chats/import", "messages"),
        ("/api/v1/providers", "settings.proxy"),
    } <= fields


# They hold JSON, or as much text as fits into the body, or are only compared with something.
UNBOUNDED = {
    "CarriedChat.cost_micros_total",
    "CarriedChat.unpriced_calls",
    "CarriedChat.usage_total",
    "CarriedFile.data",
    "CarriedMessage.cost_micros",
    "CarriedMessage.runtime_ms",
    "CarriedMessage.usage",
    "ClientToolInput.description",
    "ClientToolInput.input_schema",
    "CreateModel.provider_id",
    "FileInput.name",
    "FileReferenceInput.content",
    "FileReferenceInput.file_name",
    "PatchSettings.compaction_model",
    "PatchSettings.texts_model",
    # Each name is that of a model.
    "PatchUserSettings.compaction_thresholds",
    "ResponseFormatInput.schema",
}
KEYWORDS_OF = {
    "string": {"maxLength", "pattern", "enum", "const", "format"},
    "integer": {"maximum", "enum"},
    "number": {"maximum"},
    "array": {"maxItems"},
    "object": {"maxProperties"},
}


def test_every_field_of_a_request_has_a_bound_or_is_known_to_have_none() -> None:
    shapes = {
        name
        for module in (bodies, catalog_bodies, mcp_bodies)
        for name, each in vars(module).items()
        if isinstance(each, type)
        and issubclass(each, (bodies.RequestBody, catalog_bodies._Request, mcp_bodies._Request))
    }
    found = {
        f"{shape}.{name}"
        for shape in shapes & set(DESCRIBED["components"]["schemas"])
        for name, schema in DESCRIBED["components"]["schemas"][shape]["properties"].items()
        for each in ([] if "$ref" in schema else schema.get("anyOf", [schema]))
        if each.get("type") in KEYWORDS_OF and not KEYWORDS_OF[each["type"]] & set(each)
    }

    assert found == UNBOUNDED
