"""What each field of an MCP server may be, by itself."""

from typing import Any

import pytest

from chatd.catalog.mcp.config import (
    HEADERS_MAX,
    SLUG_LENGTH_MAX,
    TOOLS_LISTED_MAX,
    VARIABLES_MAX,
    WORDS_MAX,
)
from chatd.catalog.mcp.edit import ServerEdit
from chatd.catalog.mcp.rules.values import VALUES, problem_of_values


def field_of(slug: str = "desk", **fields: Any) -> str | None:
    problem = problem_of_values(slug, ServerEdit(**fields))
    return problem.field if problem is not None else None


def test_every_field_that_is_no_choice_has_its_line() -> None:
    choices = {"enabled", "availability", "transport", "auth_type"}
    choices |= {"model_intent", "allow_in_plan_mode", "forward_identity"}

    assert set(VALUES) == {"slug", *ServerEdit.__struct_fields__} - choices


@pytest.mark.parametrize("slug", ["a", "git-hub", "my_tools", "a1-b_2", "a" * SLUG_LENGTH_MAX])
def test_a_slug_is_words_with_something_between_them(slug: str) -> None:
    assert field_of(slug) is None


@pytest.mark.parametrize(
    "slug",
    ["", "a__b", "_a", "a_", "-a", "a-", "A", "a b", "a.b", "ä", "a/b", "a\n", "a" * (SLUG_LENGTH_MAX + 1)],
)
def test_a_slug_that_would_make_names_of_tools_unclear_is_refused(slug: str) -> None:
    assert field_of(slug) == "slug"


@pytest.mark.parametrize("field", ["url", "oauth2_auth_url", "oauth2_token_url", "oauth2_revocation_url"])
@pytest.mark.parametrize(
    "url",
    [
        "desk.example/mcp",
        "ftp://desk.example",
        "file:relative",
        "javascript:alert(1)",
        "https://",
        "https://desk.example:0/mcp",
        "https://desk.example:99999/mcp",
        "https://user:password@desk.example/mcp",
        "https://user@desk.example/mcp",
        "https://desk.example/mcp#part",
        "https://desk.example/m cp",
        "https://desk.example/mcp\r\nX: y",
        "https://desk.example\\@evil.example/mcp",
        "https://evil.example\\.desk.example/mcp",
        "https://[::1",
        "https://[fe80::1%25eth0]/mcp",
        "https://a..b/mcp",
        "https://" + "a" * 3000,
    ],
)
def test_what_is_no_plain_address_is_refused(field: str, url: str) -> None:
    assert field_of(**{field: url}) == field


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("command", ("",)),
        ("command", ("a\0b",)),
        ("command", ("a\ud800",)),
        ("command", ("a",) * (WORDS_MAX + 1)),
        ("command", ("a", "b" * 5000)),
        ("display_name", "a\nb"),
        ("description", "a" * 1001),
        ("icon_url", "http://desk.example/i.png"),
        ("icon_url", "javascript:alert(1)"),
        ("tool_allow_list", ("",)),
        ("tool_deny_list", ("a",) * (TOOLS_LISTED_MAX + 1)),
        ("connect_seconds", 0.5),
        ("connect_seconds", 61.0),
        ("call_seconds", float("nan")),
        ("call_seconds", 601.0),
        ("oauth2_client_id", "a\nb"),
        ("oauth2_client_secret", "a\r\nb"),
        ("oauth2_scopes", 'a"b'),
        ("oauth2_scopes", "a  b"),
    ],
)
def test_what_cannot_be_is_refused_with_its_field(field: str, value: Any) -> None:
    assert field_of(**{field: value}) == field


@pytest.mark.parametrize(
    "headers",
    [
        {"X-A": ""},
        {"X-A": "a\r\nX-B: b"},
        {"X-A": "a\nb"},
        {"X-A": "ä"},
        {"X-A": " a"},
        {"X A": "a"},
        {"X-A\r\nX-B": "a"},
        {"": "a"},
        {"Host": "a"},
        {"Transfer-Encoding": "chunked"},
        {"Mcp-Session-Id": "a"},
        {"Content-Type": "text/plain"},
        {"X-A": "a", "x-a": "b"},
        {"X-A": "a" * 20_000},
        {f"X-{number}": "a" for number in range(HEADERS_MAX + 1)},
    ],
)
def test_headers_that_cannot_be_sent_as_they_are_are_refused(headers: dict[str, str]) -> None:
    assert field_of(custom_headers=headers) == "custom_headers"


@pytest.mark.parametrize("header", ["", "a b", "a\r\nb", "Content-Length", "Mcp-Session-Id"])
def test_a_key_is_sent_in_a_header_that_is_free(header: str) -> None:
    assert field_of(api_key_header=header) == "api_key_header"


def test_a_refusal_does_not_repeat_the_secret() -> None:
    problem = problem_of_values("desk", ServerEdit(api_key_value="secret\nline"))

    assert problem is not None
    assert "secret" not in problem.message


@pytest.mark.parametrize(
    "env",
    [
        {"": "a"},
        {"A=B": "c"},
        {"1A": "b"},
        {"A": "b\0"},
        {"A": "b" * 20_000},
        {f"A{number}": "b" for number in range(VARIABLES_MAX + 1)},
    ],
)
def test_variables_that_no_program_can_be_given_are_refused(env: dict[str, str]) -> None:
    assert field_of(env=env) == "env"
