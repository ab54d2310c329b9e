"""What administrators give to members of some groups, and to nobody else (pure)."""

from collections.abc import Collection

# That one thing is given to.
GROUPS_GIVEN_MAX = 50


def is_given(groups: Collection[str] | None, member_of: Collection[str]) -> bool:
    """None: it is for everyone. A group that was deleted has no members, so that it gives nothing."""
    return groups is None or not frozenset(groups).isdisjoint(member_of)
