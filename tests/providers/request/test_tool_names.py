"""Names of tools that every provider accepts."""

import re

from hypothesis import given
from hypothesis import strategies as st

from chatd.providers.request.tool_names import aliases, portable


@given(st.text(max_size=200))
def test_whatever_a_tool_is_called_every_provider_accepts_what_is_sent(name: str) -> None:
    assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", portable(name))
    assert portable(portable(name)) == portable(name)


@given(st.lists(st.text(max_size=80), unique=True, max_size=20))
def test_different_names_stay_different_and_are_found_again(names: list[str]) -> None:
    sent = [portable(name) for name in names]
    back = aliases(names)

    assert len(set(sent)) == len(names)
    assert [back.get(each, each) for each in sent] == names


def test_a_good_name_is_left_alone() -> None:
    assert portable("read_file") == "read_file"
    assert aliases(["read_file", "echo"]) == {}
