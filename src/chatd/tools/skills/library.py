"""The skills of a chat, and which of them a model means."""

from collections.abc import Awaitable, Callable

from msgspec import Struct

from chatd.domain.workspace.skill_list import ListedSkill, skills_called
from chatd.kit.text import shortened
from chatd.tools.tool import ToolError

# How many are named when a model asks for one that does not exist.
NAMED_MAX = 20
_NAME_CHARACTERS_MAX = 100


class Library(Struct, frozen=True, kw_only=True):
    skills: tuple[ListedSkill, ...]
    # The instructions of one. None: it is gone.
    read_body: Callable[[ListedSkill], Awaitable[str | None]]

    def find(self, name: str) -> ListedSkill:
        """Raises ToolError when there is none, or when the name may mean two."""
        found = skills_called(self.skills, name)
        if len(found) == 1:
            return found[0]
        shown = shortened(name, _NAME_CHARACTERS_MAX)
        if found:
            raise ToolError(f"{shown} is ambiguous. Say which: {' or '.join(s.qualified for s in found)}.")
        known = [skill.alias for skill in self.skills]
        more = f" and {len(known) - NAMED_MAX} more" if len(known) > NAMED_MAX else ""
        raise ToolError(f"There is no skill {shown}. There are: {', '.join(known[:NAMED_MAX])}{more}.")
