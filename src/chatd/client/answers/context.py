"""What an agent is told: of its workspace, by its prompt, by skills."""

from typing import Any

from msgspec import Struct


class Resource(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A file of the workspace that the agent is told of; or, if `status` is not `ok`, why it is not."""

    kind: str
    source: str
    size_bytes: int = 0
    status: str = "ok"
    error: str | None = None
    skill_name: str | None = None
    skill_description: str | None = None


class Context(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the agent of a chat is told of its workspace. Without a workspace, nothing is pinned."""

    workspace: str | None = None
    pinned_at: str | None = None
    # Since when the workspace is known to tell something else.
    dirty_since: str | None = None
    truncated: bool = False
    resources: tuple[Resource, ...] = ()


class PromptPart(Struct, frozen=True, kw_only=True):
    """A part of the system prompt. One that is withheld is for administrators."""

    name: str
    text: str = ""
    withheld: bool = False
    tokens: int = 0


class PromptTool(Struct, frozen=True, kw_only=True):
    name: str
    description: str = ""
    input_schema: Any = None
    tokens: int = 0


class Prompt(Struct, frozen=True, kw_only=True):
    """What a model would be told before everything that was said; tokens are estimates."""

    model: str
    parts: tuple[PromptPart, ...] = ()
    tools: tuple[PromptTool, ...] = ()
    tokens: int = 0
    history_tokens: int = 0


class Skill(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A skill of the caller; a list has it without its content, the whole `SKILL.md`."""

    name: str
    description: str
    created_at: str = ""
    updated_at: str = ""
    content: str = ""


class SkillList(Struct, frozen=True, kw_only=True):
    skills: tuple[Skill, ...]


class Workspace(Struct, frozen=True, kw_only=True):
    """Where agents work on this server. `says` is all of it as a sentence."""

    usable: bool
    root: str | None = None
    # What keeps commands in their place: sandbox, limits, none, or closed when no command runs.
    level: str = "closed"
    network: bool = False
    limits: tuple[str, ...] = ()
    # Before agents change them.
    keeps_files: bool = False
    says: str = ""
    why: str = ""
