"""Groups of users, for administrators; and by name for who wants to share a chat with one."""

from chatd.accounts.groups import (
    Group,
    add_member,
    create_group,
    delete_group,
    find_group,
    list_groups,
    list_members,
    remove_member,
    rename_group,
)
from chatd.accounts.users import FOUND_MAX
from chatd.api.accounts.group_bodies import (
    GroupNameView,
    GroupPage,
    GroupView,
    ListGroups,
    ListMembers,
    MemberPage,
    SaveGroup,
)
from chatd.api.accounts.users import user_view
from chatd.api.bodies import Nothing
from chatd.api.router import Asked
from chatd.domain.ids import UserId
from chatd.kit.clock import rfc3339
from chatd.kit.text import is_plain


async def list_(asked: Asked[ListGroups, Nothing]) -> GroupPage:
    query, db = asked.query, asked.store.db
    if query.find is not None:
        found = await list_groups(db, part=query.find, limit=FOUND_MAX)
        return GroupPage(groups=(), names=tuple(GroupNameView(id=each.id, name=each.name) for each in found))
    found = await list_groups(db, after=query.after, part=query.q, limit=query.limit + 1)
    page = found[: query.limit]
    return GroupPage(groups=tuple(map(_view, page)), next=page[-1].name if len(found) > query.limit else None)


async def add(asked: Asked[Nothing, SaveGroup]) -> GroupView:
    return _view(await create_group(asked.store.db, asked.body.name, by=asked.by))


async def show(asked: Asked[Nothing, Nothing]) -> GroupView:
    return _view(await find_group(asked.store.db, asked.path["group_id"]))


async def patch(asked: Asked[Nothing, SaveGroup]) -> GroupView:
    group_id = asked.path["group_id"]
    return _view(await rename_group(asked.store.db, group_id, asked.body.name, by=asked.by))


async def delete(asked: Asked[Nothing, Nothing]) -> None:
    """What its members could see because of it, they see no more, at once."""
    await delete_group(asked.store.db, asked.path["group_id"], by=asked.by)
    asked.server.access_changed(None)


async def members(asked: Asked[ListMembers, Nothing]) -> MemberPage:
    query = asked.query
    found = await list_members(
        asked.store.db, asked.path["group_id"], after=query.after, limit=query.limit + 1
    )
    page = found[: query.limit]
    more = page[-1].user.name if len(found) > query.limit else None
    return MemberPage(users=tuple(map(user_view, page)), next=more)


async def add_one(asked: Asked[Nothing, Nothing]) -> None:
    await add_member(asked.store.db, asked.path["group_id"], _user_in(asked), by=asked.by)


async def remove_one(asked: Asked[Nothing, Nothing]) -> None:
    user_id = _user_in(asked)
    await remove_member(asked.store.db, asked.path["group_id"], user_id, by=asked.by)
    asked.server.access_changed(user_id)


def _user_in(asked: Asked[Nothing, Nothing]) -> UserId:
    user_id = asked.path["user_id"]
    return UserId(user_id if is_plain(user_id) else "")


def _view(group: Group) -> GroupView:
    return GroupView(
        id=group.id,
        name=group.name,
        source=group.source,
        members=group.members,
        created_at=rfc3339(group.created_at),
    )
