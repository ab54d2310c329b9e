"""What is given to some groups."""

import pytest

from chatd.domain.people.given import is_given


@pytest.mark.parametrize(
    ("groups", "member_of", "expected"),
    [
        (None, (), True),
        (None, ("a",), True),
        ((), ("a",), False),
        (("a",), (), False),
        (("a", "b"), ("b", "c"), True),
        (("a",), ("b",), False),
    ],
)
def test_what_names_no_groups_is_for_everyone_and_else_for_their_members(
    groups: tuple[str, ...] | None,
    member_of: tuple[str, ...],
    expected: bool,  # noqa: FBT001
) -> None:
    assert is_given(groups, member_of) is expected
