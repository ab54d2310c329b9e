import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.routing import compile_path

from chatd.api.paths import Found, Paths
from chatd.api.routes import ROUTES, STREAMS

TABLE = (
    "/",
    "/chats",
    "/chats/watch",
    "/chats/{chat_id}",
    "/chats/{chat_id}/messages/{message_id}",
    "/chats/{chat}/files",
    "/chats/watch/now",
    "/{anything}/files/{file}",
)
ALL = tuple(dict.fromkeys(each.path for each in (*STREAMS, *ROUTES)))


@pytest.mark.parametrize(
    ("address", "path", "parameters"),
    [
        ("/", "/", {}),
        ("/chats", "/chats", {}),
        ("/chats/watch", "/chats/watch", {}),
        ("/chats/7", "/chats/{chat_id}", {"chat_id": "7"}),
        (
            "/chats/7/messages/8",
            "/chats/{chat_id}/messages/{message_id}",
            {"chat_id": "7", "message_id": "8"},
        ),
        # The parameters have the names that their own path gives them.
        ("/chats/7/files", "/chats/{chat}/files", {"chat": "7"}),
        # A word of the table that leads nowhere is a parameter like any other.
        ("/chats/watch/files", "/chats/{chat}/files", {"chat": "watch"}),
        ("/chats/files/x", "/{anything}/files/{file}", {"anything": "chats", "file": "x"}),
    ],
)
def test_an_address_is_at_the_path_that_says_most_about_it(
    address: str, path: str, parameters: dict[str, str]
) -> None:
    assert Paths(TABLE).find(address) == Found(path, parameters)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "chats",
        "/x",
        "/chats/",
        "//chats",
        "/chats//files",
        "/chats/7/messages",
        "/chats/7/messages/8/9",
        "/" * 100_000,
        "/chats" * 100_000,
    ],
)
def test_what_is_at_no_path_is_found_at_none(address: str) -> None:
    assert Paths(TABLE).find(address) is None


@given(st.lists(st.sampled_from(["api", "v1", "chats", "watch", "messages", "me", "x", ""]), max_size=7))
def test_an_address_is_found_where_one_would_find_it_by_trying_each_path(segments: list[str]) -> None:
    address = "/" + "/".join(segments)
    found = Paths(ALL).find(address)

    fitting = [path for path in ALL if compile_path(path)[0].match(address)]
    assert (found is None) == (not fitting)
    assert found is None or found.path in fitting
    # None of the others has a word where this one has a parameter.
    assert found is None or all(_words(found.path) >= _words(path) for path in fitting)


def _words(path: str) -> list[bool]:
    return [not segment.startswith("{") for segment in path.split("/")]
