"""What each kind of viewer is shown of a chat."""

import pytest

from chatd.accounts.users import User, UserRole
from chatd.accounts.viewers import (
    DETAILS,
    SIGHTS,
    Detail,
    Sight,
    Viewer,
    detail_for,
    is_shown_every_chat,
    sights_of,
    viewers_of,
)
from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId, Micros, UserId
from chatd.live.shapes import SHAPES

CHAT = Chat(id=ChatId("chat"), owner_id=UserId("anna"), created_at=Micros(0), updated_at=Micros(0))


@pytest.mark.parametrize(
    ("user", "role", "viewers", "sights"),
    [
        ("anna", UserRole.MEMBER, {Viewer.OWNER}, {Sight.CHAT, Sight.RECORDS}),
        ("bert", UserRole.MEMBER, set(), set()),
        ("bert", UserRole.ADMIN, {Viewer.ADMINISTRATOR}, {Sight.CHAT, Sight.RECORDS, Sight.WIRE}),
        ("anna", UserRole.ADMIN, {Viewer.OWNER, Viewer.ADMINISTRATOR}, set(Sight)),
    ],
)
def test_what_is_shown_follows_from_what_the_user_is_to_the_chat(
    user: str, role: UserRole, viewers: set[Viewer], sights: set[Sight]
) -> None:
    viewer = User(UserId(user), user, role)

    assert viewers_of(viewer, CHAT) == viewers
    assert sights_of(viewer, CHAT) == sights


def test_every_kind_of_viewer_has_its_sights_and_its_detail() -> None:
    assert set(SIGHTS) == set(DETAILS) == set(Viewer)
    assert set(SHAPES) == set(Detail)


def test_the_most_detailed_of_what_a_user_is_counts() -> None:
    viewer = User(UserId("anna"), "anna", UserRole.ADMIN)

    assert detail_for(viewer, CHAT) is Detail.FULL


@pytest.mark.parametrize(("role", "shown"), [(UserRole.MEMBER, False), (UserRole.ADMIN, True)])
def test_administrators_are_shown_every_chat(role: UserRole, shown: bool) -> None:  # noqa: FBT001 - a row of a table
    assert is_shown_every_chat(User(UserId("bert"), "bert", role)) is shown
