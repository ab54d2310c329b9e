"""The shapes of personal skills."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from chatd.live.shapes import Moment

_WHOLE = "A whole `SKILL.md`: front matter with `name` and `description`, then instructions; at most 64 KiB."


class SaveSkill(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    content: Annotated[str, Meta(description=_WHOLE)]


class SkillView(Struct, frozen=True, kw_only=True):
    name: str
    description: str
    created_at: Moment
    updated_at: Moment
    # Not in lists.
    content: str | UnsetType = UNSET


class SkillList(Struct, frozen=True, kw_only=True):
    skills: tuple[SkillView, ...]
