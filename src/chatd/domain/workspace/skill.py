"""Skills: instructions for one kind of task, which a model reads when it has such a task. Pure.

A skill is a text `SKILL.md`: front matter with a name and a description, then the instructions.
"""

import re

from msgspec import Struct

from chatd.kit.front_matter import BadFrontMatter, split_front_matter
from chatd.kit.hidden import without_hidden
from chatd.kit.text import one_line

# The whole text.
SKILL_BYTES_MAX = 64 * 1024
SKILL_NAME_BYTES_MAX = 256
SKILL_DESCRIPTION_BYTES_MAX = 4096

_NAME = re.compile(r"[a-z0-9]++(?:-[a-z0-9]++)*+")


class BadSkill(Exception):
    """The text is no skill. The message says why, in a sentence."""


class SkillText(Struct, frozen=True, kw_only=True):
    name: str
    description: str
    # Without what people cannot see, and without HTML comments.
    body: str


def parse_skill(text: str) -> SkillText:
    """Raises BadSkill."""
    if len(text.encode("utf-8", "replace")) > SKILL_BYTES_MAX:
        raise BadSkill(f"It has more than {SKILL_BYTES_MAX // 1024} KiB.")
    try:
        fields, below = split_front_matter(without_hidden(text))
    except BadFrontMatter as error:
        raise BadSkill(str(error)) from error
    skill = SkillText(
        name=fields.get("name", ""),
        description=one_line(fields.get("description", "")),
        body=without_comments(below).strip(),
    )
    if (problem := _problem_of(skill)) is not None:
        raise BadSkill(problem)
    return skill


def is_skill_name(name: str) -> bool:
    return len(name) <= SKILL_NAME_BYTES_MAX and _NAME.fullmatch(name) is not None


def without_comments(text: str) -> str:
    """The text without HTML comments. One that does not end goes on to the end of the text."""
    kept: list[str] = []
    position = 0
    while (begin := text.find("<!--", position)) >= 0:
        kept.append(text[position:begin])
        end = text.find("-->", begin + len("<!--"))
        if end < 0:
            return "".join(kept)
        position = end + len("-->")
    return "".join([*kept, text[position:]])


def _problem_of(skill: SkillText) -> str | None:
    if not skill.name:
        return "Its front matter has no `name`."
    if not is_skill_name(skill.name):
        return (
            "Its `name` must be small letters, digits and single hyphens, such as `review-code`, "
            f"of at most {SKILL_NAME_BYTES_MAX} characters."
        )
    if not skill.description:
        return "Its front matter has no `description`."
    if len(skill.description.encode()) > SKILL_DESCRIPTION_BYTES_MAX:
        return f"Its `description` has more than {SKILL_DESCRIPTION_BYTES_MAX} bytes."
    if not skill.body:
        return "There is no text below its front matter."
    return None
