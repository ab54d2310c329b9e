"""Tools for skills: offered only where there are some."""

from chatd.domain.workspace.skill_list import SkillOrigin
from chatd.tools.skills.library import Library
from chatd.tools.skills.read_skill import read_skill
from chatd.tools.skills.read_skill_file import read_skill_file
from chatd.tools.tool import AnyTool


def skill_tools(library: Library) -> tuple[AnyTool, ...]:
    if not library.skills:
        return ()
    has_files = any(skill.origin is SkillOrigin.WORKSPACE for skill in library.skills)
    return (read_skill(library), read_skill_file(library)) if has_files else (read_skill(library),)
