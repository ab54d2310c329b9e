"""Finding what a workspace tells its agents: instruction files at its root, and skills.

It goes through the seam `Files` only, so it works wherever the workspace is. What is found can be hostile:
each file, their number and their sum have a bound, nothing outside of the workspace is read, and no directory
is entered deeper than to where a skill can be.
"""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from chatd.domain.workspace.context import (
    RESOURCES_MAX,
    SNAPSHOT_BYTES_MAX,
    Context,
    Resource,
    ResourceKind,
    ResourceStatus,
)
from chatd.domain.workspace.skill import BadSkill, parse_skill
from chatd.workspaces.context.text_file import TextFile, read_text_file, shown
from chatd.workspaces.files import FileError, FileKind, Files, Problem

# For all of it. A workspace that takes longer counts as away.
LOOK_SECONDS = 10.0

INSTRUCTION_FILES = ("AGENTS.md", "CLAUDE.md", ".cursorrules")
MCP_CONFIG = ".mcp.json"
SKILL_DIRECTORIES = ("skills", ".agents/skills", ".claude/skills", ".codex/skills")
SKILL_FILE = "SKILL.md"

_AT_THE_ROOT: Mapping[str, ResourceKind] = {
    **dict.fromkeys(INSTRUCTION_FILES, ResourceKind.INSTRUCTION_FILE),
    MCP_CONFIG: ResourceKind.MCP_CONFIG,
}
_MAY_HOLD_A_SKILL = frozenset({FileKind.DIRECTORY, FileKind.LINK})


async def discover(files: Files, workspace: str) -> Context:
    """What there is now. Raises FileError when the workspace is away."""
    snapshot = _Snapshot()
    for name, kind in _AT_THE_ROOT.items():
        found = await read_text_file(files, name)
        if found is not None and snapshot.is_new(found):
            snapshot.add(_resource(kind, name, found))
    for directory in SKILL_DIRECTORIES:
        for name in await _names_in(files, directory):
            source = f"{directory}/{name}/{SKILL_FILE}"
            found = await read_text_file(files, source)
            if found is None or not snapshot.is_new(found):
                continue
            if snapshot.is_full:
                return snapshot.as_context(workspace, truncated=True)
            snapshot.add(snapshot.without_second(_skill(name, source, found)))
    return snapshot.as_context(workspace)


class _Snapshot:
    """Collects resources within the bounds."""

    def __init__(self) -> None:
        self._resources: list[Resource] = []
        self._real_paths: set[str] = set()
        self._skills: dict[str, str] = {}
        self._bytes = 0

    @property
    def is_full(self) -> bool:
        return len(self._resources) >= RESOURCES_MAX

    def is_new(self, found: TextFile) -> bool:
        """Whether this file was not found before, under another name."""
        if found.real_path in self._real_paths:
            return False
        if found.real_path:
            self._real_paths.add(found.real_path)
        return True

    def without_second(self, skill: Resource) -> Resource:
        """Of two skills of one name the first counts."""
        if not skill.is_ok:
            return skill
        first = self._skills.setdefault(skill.skill_name, skill.source)
        if first == skill.source:
            return skill
        return _without_text(skill, ResourceStatus.EXCLUDED, f"{first} has the same name, and comes first.")

    def add(self, resource: Resource) -> None:
        size = len(resource.text.encode()) + len(resource.skill_description.encode())
        if self._bytes + size > SNAPSHOT_BYTES_MAX:
            mebibytes = SNAPSHOT_BYTES_MAX // (1024 * 1024)
            reason = f"All that was found before it has {mebibytes} MiB, and there can be no more."
            resource, size = _without_text(resource, ResourceStatus.EXCLUDED, reason), 0
        self._bytes += size
        self._resources.append(resource)

    def as_context(self, workspace: str, *, truncated: bool = False) -> Context:
        return Context(workspace=workspace, resources=tuple(self._resources), truncated=truncated)


async def _names_in(files: Files, directory: str) -> Sequence[str]:
    """Where skills may be. One name more than there can be resources tells that there are too many."""
    try:
        listing = await files.list(directory, limit=RESOURCES_MAX + 1)
    except FileError as error:
        if error.problem is Problem.UNAVAILABLE:
            raise
        return ()
    return [entry.name for entry in listing.entries if entry.kind in _MAY_HOLD_A_SKILL]


def _resource(kind: ResourceKind, source: str, found: TextFile) -> Resource:
    return Resource(
        kind=kind,
        source=shown(source),
        status=found.status,
        size_bytes=found.size_bytes,
        error=found.error,
        # It may have keys in it, and is read where it is used.
        text="" if kind is ResourceKind.MCP_CONFIG else found.text,
    )


def _skill(directory: str, source: str, found: TextFile) -> Resource:
    resource = replace(_resource(ResourceKind.SKILL, source, found), skill_name=shown(directory), text="")
    if not resource.is_ok:
        return resource
    try:
        skill = parse_skill(found.text)
    except BadSkill as error:
        return replace(resource, status=ResourceStatus.INVALID, error=str(error))
    if skill.name != directory:
        reason = f"Its name is {skill.name!r}, and its directory has another one. Both must be the same."
        return replace(resource, status=ResourceStatus.INVALID, error=reason)
    return replace(resource, skill_description=skill.description, text=skill.body)


def _without_text(resource: Resource, status: ResourceStatus, error: str) -> Resource:
    return replace(resource, status=status, error=error, skill_description="", text="")
