"""No secret survives in any place of a record; and what only sounds like one does."""

import json
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatd.kit.codec import encode_text
from chatd.records.secrets import (
    HIDDEN,
    TOO_DEEP,
    hiding,
    is_secret_header,
    safe_address,
    safe_headers,
    safe_json,
    safe_text,
)
from tests.traceability import proves

KEY = 'sk/Key+of"the=operator'
SECRET = "swordfish"

HEADERS = [
    "authorization",
    "Authorization",
    "x-api-key",
    "api-key",
    "x-goog-api-key",
    "proxy-authorization",
    "cookie",
    "Set-Cookie",
    "x-my_api_key",
    "x-apikey",
    "x-amz-security-token",
    "x-client-secret",
    "x-bearer",
]
COUNTS = [
    "anthropic-ratelimit-tokens-remaining",
    "anthropic-ratelimit-input-tokens-limit",
    "anthropic-ratelimit-output-tokens-reset",
    "x-ratelimit-remaining-tokens",
    "x-ratelimit-limit-tokens",
    "x-ratelimit-reset-tokens",
    "x-amzn-bedrock-input-token-count",
]
FIELDS = [
    "token",
    "access_token",
    "refreshToken",
    "id_token",
    "api_token",
    "authToken",
    "bearer_token",
    "session-token",
    "securityToken",
    "api_key",
    "apiKey",
    "API-KEY",
    "private_key",
    "signingKey",
    "secret_key",
    "client_secret",
    "Password",
    "db_password_2",
    "authorization",
    "aws_credentials",
]
USAGE = [
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "max_tokens",
    "cache_read_input_tokens",
    "tokens",
    "token_count",
    "completion_tokens_details",
]


def plainly(text: str) -> str:
    """Nothing has to be hidden."""
    return text


def test_there_are_headers_that_no_viewer_may_read() -> None:
    assert safe_headers(dict.fromkeys(HEADERS, SECRET), plainly) == dict.fromkeys(HEADERS, HIDDEN)


@proves("loop", 49)
@pytest.mark.parametrize("name", HEADERS)
def test_a_credential_in_a_header_is_hidden(name: str) -> None:
    assert safe_headers({name: SECRET, "accept": "*/*"}, plainly) == {name: HIDDEN, "accept": "*/*"}


@proves("loop", 49)
@pytest.mark.parametrize("name", COUNTS)
def test_a_header_that_counts_tokens_is_shown(name: str) -> None:
    assert safe_headers({name: "1000"}, plainly) == {name: "1000"}


@pytest.mark.parametrize("name", ["x-ratelimit-secret-tokens", "anthropic-ratelimit-token", "x-token-count"])
def test_a_header_that_only_resembles_one_that_counts_is_hidden(name: str) -> None:
    assert is_secret_header(name)


@proves("loop", 49)
@pytest.mark.parametrize("name", FIELDS)
def test_a_credential_in_json_is_hidden(name: str) -> None:
    document = {"model": "m", "tools": [{"config": {name: SECRET, "n": 1}}]}

    assert safe_json(document, plainly) == {"model": "m", "tools": [{"config": {name: HIDDEN, "n": 1}}]}


@proves("loop", 49)
@pytest.mark.parametrize("name", USAGE)
def test_a_count_of_tokens_is_shown(name: str) -> None:
    assert safe_json({"usage": {name: 17}}, plainly) == {"usage": {name: 17}}


def test_json_within_a_text_is_looked_into() -> None:
    arguments = json.dumps({"path": "/here", "api_key": SECRET})

    assert safe_json({"arguments": arguments}, plainly) == {
        "arguments": '{"path":"/here","api_key":"[hidden]"}'
    }
    assert safe_json({"arguments": '{ "path": "/here" }'}, plainly) == {"arguments": '{ "path": "/here" }'}


@proves("loop", 49)
@pytest.mark.parametrize(
    ("address", "safe"),
    [
        ("https://me:pass@example.com/v1?x=1", "https://example.com/v1?x=1"),
        ("https://me:p@ss@example.com/v1", "https://example.com/v1"),
        ("https://example.com/v1?key=k&alt=sse", "https://example.com/v1?key=[hidden]&alt=sse"),
        ("https://example.com/?api-version=1&Api_Key=k", "https://example.com/?api-version=1&Api_Key=[hidden]"),
        ("https://example.com/?X-Amz-Signature=k&sig=k", "https://example.com/?X-Amz-Signature=[hidden]&sig=[hidden]"),
        ("https://example.com/?access%5Ftoken=k#place", "https://example.com/?access%5Ftoken=[hidden]#place"),
        ("https://example.com/#id_token=k", "https://example.com/#id_token=[hidden]"),
        ("https://me:pass@[not an address", "https://[not an address"),
        ("https://example.com/@me?", "https://example.com/@me?"),
    ],
)  # fmt: skip
def test_an_address_keeps_its_place_and_loses_its_secrets(address: str, safe: str) -> None:
    assert safe_address(address, plainly) == safe


def test_an_address_in_json_loses_its_secrets_too() -> None:
    document = {
        "image_url": "https://me:pass@example.com/a.png?sig=k",
        "text": "See https://example.com/#a, ok?",
    }

    assert safe_json(document, plainly) == {
        "image_url": "https://example.com/a.png?sig=[hidden]",
        "text": "See https://example.com/#a, ok?",
    }


@proves("loop", 49)
@pytest.mark.parametrize(
    ("words", "safe"),
    [
        ("Cannot reach https://me:p@ss@example.com/v1?key=k now", "Cannot reach https://example.com/v1 now"),
        ("Bad key sk-ant-0123456789abcdef.", "Bad key sk…."),
        ("Authorization: Bearer abcdefghijklmnop0123", "Authorization: Bearer …"),
        (f"Your key {KEY} is wrong", "Your key … is wrong"),
    ],
)
def test_the_words_of_an_error_lose_their_secrets(words: str, safe: str) -> None:
    assert safe_text(words, hiding([KEY])) == safe


def test_json_without_end_does_not_break_anything() -> None:
    deep: Any = SECRET
    for _ in range(500):
        deep = [{"a": deep}]

    written = encode_text(safe_json(deep, plainly))

    assert SECRET not in written
    assert TOO_DEEP in written


# Any JSON, with these names in it and with ordinary ones.
def documents(names: list[str], leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.sampled_from(names) | st.text(max_size=8), inner, max_size=4)
            # As tools are called at OpenAI.
            | inner.map(json.dumps)
        ),
        max_leaves=12,
    )


ORDINARY = st.none() | st.booleans() | st.integers() | st.text(max_size=20)


def hidden_away(document: Any, names: list[str]) -> Any:
    """Every value of such a name is a secret."""
    match document:
        case dict():
            return {
                name: SECRET if name in names else hidden_away(inner, names)
                for name, inner in document.items()
            }
        case list():
            return [hidden_away(inner, names) for inner in document]
        case _:
            return document


@proves("loop", 49)
@given(documents(FIELDS, ORDINARY))
def test_no_secret_survives_in_any_place_of_any_document(document: Any) -> None:
    with_secrets = hidden_away(document, FIELDS)

    assert SECRET not in encode_text(safe_json(with_secrets, plainly))
    assert SECRET not in encode_text(safe_json({"arguments": json.dumps(with_secrets)}, plainly))


@given(documents(USAGE, st.none() | st.booleans() | st.integers() | st.sampled_from(["word", "two words"])))
def test_a_document_without_secrets_is_kept_as_it_is(document: Any) -> None:
    assert safe_json({"usage": document}, hiding([KEY])) == {"usage": document}


def spelled(words: str) -> st.SearchStrategy[str]:
    return st.sampled_from(
        [
            words,
            words.upper(),
            quote(words, safe=""),
            json.dumps(words)[1:-1],
            json.dumps(words).replace("/", "\\/"),
        ]
    )


@proves("api", 84)
@proves("loop", 49)
@given(documents(["a", KEY], ORDINARY | spelled(KEY).map(lambda key: f"It was {key}, you know")))
def test_the_key_of_the_call_is_nowhere_however_it_is_spelled(document: Any) -> None:
    hide = hiding([KEY])
    written = encode_text(safe_json(document, hide)) + hide(encode_text(document))

    for spelling in (
        KEY,
        quote(KEY, safe=""),
        json.dumps(KEY)[1:-1],
        json.dumps(KEY)[1:-1].replace("/", "\\/"),
    ):
        assert spelling.lower() not in written.lower()
