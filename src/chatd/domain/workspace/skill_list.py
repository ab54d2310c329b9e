"""The skills that an agent has: those of its workspace, and those of the user whose chat it is. Pure."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from msgspec import Struct

from chatd.domain.workspace.context import Resource, ResourceKind


class SkillOrigin(StrEnum):
    WORKSPACE = "workspace"
    PERSONAL = "personal"


class PersonalSkill(Struct, frozen=True, kw_only=True):
    """A skill that a user keeps on the server, without its instructions."""

    name: str
    description: str


class ListedSkill(Struct, frozen=True, kw_only=True):
    name: str
    description: str
    origin: SkillOrigin
    # What a model calls it: its name, or with its origin if both origins have one of this name.
    alias: str
    # Of the workspace: where it is.
    source: str = ""

    @property
    def qualified(self) -> str:
        return f"{self.origin}/{self.name}"


def list_skills(pinned: Iterable[Resource], personal: Iterable[PersonalSkill]) -> tuple[ListedSkill, ...]:
    """Those of the workspace in the order in which they were found, then the user's own."""
    own = tuple(personal)
    found = [each for each in pinned if each.kind is ResourceKind.SKILL and each.is_ok]
    twice = {each.skill_name for each in found} & {each.name for each in own}

    def listed(name: str, description: str, origin: SkillOrigin, source: str = "") -> ListedSkill:
        alias = f"{origin}/{name}" if name in twice else name
        return ListedSkill(name=name, description=description, origin=origin, alias=alias, source=source)

    return (
        *(listed(e.skill_name, e.skill_description, SkillOrigin.WORKSPACE, e.source) for e in found),
        *(listed(each.name, each.description, SkillOrigin.PERSONAL) for each in own),
    )


def skills_called(skills: Iterable[ListedSkill], name: str) -> Sequence[ListedSkill]:
    """Those that the name may mean: mostly one; both, if the name alone does not tell which."""
    return [each for each in skills if name in (each.name, each.qualified)]
