"""Personal skills: what agents can read in all chats of a user. Those of other users do not exist here."""

from msgspec import UNSET

from chatd.api.bodies import Nothing
from chatd.api.catalog.skill_bodies import SaveSkill, SkillList, SkillView
from chatd.api.router import Asked, B
from chatd.catalog.skills import KeptSkill, Skills, skill_not_found
from chatd.kit.clock import rfc3339


async def list_(asked: Asked[Nothing, Nothing]) -> SkillList:
    return SkillList(skills=tuple(_view(each) for each in await _skills(asked).all_of(asked.user.id)))


async def add(asked: Asked[Nothing, SaveSkill]) -> SkillView:
    return _view(await _skills(asked).add(asked.user.id, asked.body.content))


async def show(asked: Asked[Nothing, Nothing]) -> SkillView:
    found = await _skills(asked).find(asked.user.id, asked.path["name"])
    if found is None:
        raise skill_not_found(asked.path["name"])
    return _view(found)


async def patch(asked: Asked[Nothing, SaveSkill]) -> SkillView:
    return _view(await _skills(asked).change(asked.user.id, asked.path["name"], asked.body.content))


async def delete(asked: Asked[Nothing, Nothing]) -> None:
    await _skills(asked).delete(asked.user.id, asked.path["name"])


def _skills(asked: Asked[Nothing, B]) -> Skills:
    return asked.server.catalog_store.skills


def _view(skill: KeptSkill) -> SkillView:
    return SkillView(
        name=skill.name,
        description=skill.description,
        created_at=rfc3339(skill.created_at),
        updated_at=rfc3339(skill.updated_at),
        content=skill.content or UNSET,
    )
