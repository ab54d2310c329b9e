import pytest

from chatd.errors import ProviderError
from chatd.providers.transport.headers import DEFAULTS, headers_for, lower_cased
from tests.traceability import proves


@proves("model-layer", 151)
def test_a_name_has_one_value_however_it_is_spelled() -> None:
    headers = headers_for({"X-Team": "instance", "User-Agent": "mine"}, {"x-TEAM": "call"})

    assert headers == {**DEFAULTS, "user-agent": "mine", "x-team": "call"}


def test_nothing_leaks_into_the_next_call() -> None:
    instance = {"X-Team": "instance"}
    headers_for(instance, {"X-Team": "call", "X-Chat": "c1"})

    assert headers_for(instance, {}) == {**DEFAULTS, "x-team": "instance"}


def test_betas_add_up() -> None:
    headers = headers_for({"Anthropic-Beta": "one,two"}, {"anthropic-beta": "two,three"})

    assert headers["anthropic-beta"] == "one,two,three"


@pytest.mark.parametrize("name", ["Authorization", "x-api-key", "API-Key", "x-goog-api-key", "Cookie"])
def test_a_call_does_not_say_who_pays(name: str) -> None:
    with pytest.raises(ProviderError) as failed:
        headers_for({}, {name: "sk-secret"})

    assert failed.value.kind == "config"
    assert "sk-secret" not in failed.value.message
    assert headers_for({name: "of the provider"}, {})[name.lower()] == "of the provider"


@pytest.mark.parametrize(
    "name", ["Host", "Content-Length", "Transfer-Encoding", "connection", "TE", "Upgrade"]
)
def test_no_header_describes_the_connection(name: str) -> None:
    with pytest.raises(ProviderError):
        headers_for({}, {name: "x"})
    with pytest.raises(ProviderError):
        headers_for({name: "x"}, {})


@pytest.mark.parametrize(
    ("name", "value"),
    [("x-a", "1\r\nx-b: 2"), ("x-a", "\0"), ("x a", "1"), ("x-ä", "1"), ("", "1"), ("x:", "1")],
)
def test_a_header_cannot_smuggle_in_another(name: str, value: str) -> None:
    with pytest.raises(ProviderError):
        headers_for({name: value}, {})


def test_of_a_header_that_came_twice_the_last_counts() -> None:
    assert lower_cased({"A": "1", "a": "2"}) == {"a": "2"}
