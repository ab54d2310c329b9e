"""Groups that an identity provider names: who is in them is said there, anew each time a user comes in.

A group that was made here stays ours: a provider that names one alike puts nobody into it.
"""

from collections.abc import Iterable

import structlog

from chatd.accounts.groups import GROUPS_MAX, GROUPS_OF_USER_MAX, GroupSource
from chatd.accounts.users import NAME_LENGTH_MAX
from chatd.domain.ids import UserId
from chatd.kit.ids import new_id
from chatd.kit.text import is_plain
from chatd.storage.database import Connection

log = structlog.get_logger()

PROVIDER = GroupSource.OIDC.value


async def replace_provider_groups(tx: Connection, user_id: UserId, names: Iterable[str]) -> bool:
    """The user is in these groups of the provider, and in no others of it. Whether anything has changed."""
    wanted = _usable(names)
    before = await _provider_groups(tx, user_id)
    if before.keys() == wanted.keys():
        return False
    # Two who come in at once as the same user.
    await tx.all("lock_user", user_id)
    for key in before.keys() - wanted.keys():
        await tx.run("delete_provider_member", before[key], user_id)
    added = 0
    for key in sorted(wanted.keys() - before.keys()):
        group_id = await _group(tx, wanted[key], key)
        if group_id is not None:
            await tx.run("insert_provider_member", group_id, user_id)
            added += 1
    return bool(added or before.keys() - wanted.keys())


async def is_in_others(tx: Connection, user_id: UserId, names: Iterable[str]) -> bool:
    """Whether the user is in other groups of the provider than these."""
    return (await _provider_groups(tx, user_id)).keys() != _usable(names).keys()


async def _provider_groups(tx: Connection, user_id: UserId) -> dict[str, str]:
    """The ids of those that the user is in, by their names in small letters."""
    rows = await tx.all("memberships_of", user_id)
    return {key: group_id for group_id, key, source in rows if source == PROVIDER}


async def _group(tx: Connection, name: str, key: str) -> str | None:
    found = await tx.one("provider_group_named", key)
    if found is None:
        await tx.all("one_maker_of_groups")
        count = await tx.one("count_groups")
        if count is not None and count[0] < GROUPS_MAX:
            await tx.one("insert_group", new_id(), name, key, PROVIDER)
        found = await tx.one("provider_group_named", key)
    if found is None:
        log.warning(
            "group.left_out", group=name, hint="There is a group of this name here, or too many groups."
        )
        return None
    return str(found[0])


def _usable(names: Iterable[str]) -> dict[str, str]:
    """By their names in small letters. Those that are too many are left out, in the order of their names."""
    plain = {name.strip() for name in names}
    fit = sorted(name for name in plain if name and len(name) <= NAME_LENGTH_MAX and is_plain(name))
    return {name.casefold(): name for name in fit[:GROUPS_OF_USER_MAX]}
