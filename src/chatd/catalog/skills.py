"""Personal skills: what users keep on the server for all of their chats, read past every cache."""

from msgspec import Struct

from chatd.domain.ids import Micros, UserId
from chatd.domain.workspace.skill import BadSkill, SkillText, is_skill_name, parse_skill
from chatd.domain.workspace.skill_list import PersonalSkill
from chatd.errors import BadInput, NotAllowed, NotFound
from chatd.hints.hint import CatalogChanged, CatalogKind
from chatd.kit.hidden import without_hidden
from chatd.storage.database import Connection, Pace, Row
from chatd.storage.transactions.transact import Store

# Of one user.
SKILLS_MAX = 100


class KeptSkill(Struct, frozen=True, kw_only=True):
    name: str
    description: str
    created_at: Micros
    updated_at: Micros
    # The whole SKILL.md; a list has none.
    content: str = ""


class Skills:
    """A skill of another user does not exist here."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def all_of(self, user_id: UserId) -> tuple[KeptSkill, ...]:
        """By name, without their content."""
        rows = await self._store.db.read(lambda tx: tx.all("skills_of", user_id), pace=Pace.ONE_QUERY)
        return tuple(_skill(row) for row in rows)

    async def names_of(self, user_id: UserId) -> tuple[PersonalSkill, ...]:
        """What an agent is told of them."""
        return tuple(
            PersonalSkill(name=each.name, description=each.description) for each in await self.all_of(user_id)
        )

    async def find(self, user_id: UserId, name: str) -> KeptSkill | None:
        if not is_skill_name(name):
            return None
        row = await self._store.db.read(lambda tx: tx.one("skill_named", user_id, name), pace=Pace.ONE_QUERY)
        return _skill(row) if row is not None else None

    async def add(self, user_id: UserId, content: str) -> KeptSkill:
        content = without_hidden(content)
        skill = _parsed(content)

        async def body(tx: Connection) -> KeptSkill:
            # Of two additions at once, both would find room for one more.
            await tx.all("lock_user", user_id)
            count = await tx.one("count_skills", user_id)
            assert count is not None
            row = await tx.one("insert_skill", user_id, skill.name, skill.description, content)
            if row is None:
                raise NotAllowed(
                    "duplicate_skill",
                    f"You have a skill {skill.name!r} already.",
                    field="content",
                    hint=f"PATCH /api/v1/users/me/skills/{skill.name} replaces it.",
                )
            if count[0] >= SKILLS_MAX:
                raise NotAllowed(
                    "too_many_skills",
                    f"You have {SKILLS_MAX} skills, and there can be no more.",
                    hint="Delete one that you do not need.",
                )
            return _skill(row)

        return await self._changed(user_id, await self._store.db.write(body))

    async def change(self, user_id: UserId, name: str, content: str) -> KeptSkill:
        content = without_hidden(content)
        skill = _parsed(content)
        if skill.name != name:
            raise BadInput(
                "name_differs",
                f"The skill is called {name!r}, and its front matter says {skill.name!r}.",
                field="content",
                hint="A skill is renamed by adding it under its new name, and deleting the old one.",
            )
        row = await self._store.db.write(
            lambda tx: tx.one("update_skill", user_id, name, skill.description, content)
        )
        if row is None:
            raise skill_not_found(name)
        return await self._changed(user_id, _skill(row))

    async def delete(self, user_id: UserId, name: str) -> None:
        if not is_skill_name(name):
            raise skill_not_found(name)
        if await self._store.db.write(lambda tx: tx.one("delete_skill", user_id, name)) is None:
            raise skill_not_found(name)
        self._announce(user_id)

    async def _changed(self, user_id: UserId, skill: KeptSkill) -> KeptSkill:
        self._announce(user_id)
        return skill

    def _announce(self, user_id: UserId) -> None:
        self._store.hints.announce(CatalogChanged(kind=CatalogKind.USER_SKILLS, entity=user_id))


def skill_not_found(name: str) -> NotFound:
    return NotFound(
        "skill_not_found",
        f"You have no skill {name!r}.",
        hint="GET /api/v1/users/me/skills lists those that you have.",
    )


def _parsed(content: str) -> SkillText:
    try:
        return parse_skill(content)
    except BadSkill as error:
        raise BadInput(
            "bad_skill",
            f"This is no skill. {error}",
            field="content",
            hint="It is a text that begins with `---`, `name:`, `description:` and `---`, each on a line.",
        ) from error


def _skill(row: Row) -> KeptSkill:
    name, description, created_at, updated_at, *content = row
    return KeptSkill(
        name=name,
        description=description,
        created_at=created_at,
        updated_at=updated_at,
        content=content[0] if content else "",
    )
