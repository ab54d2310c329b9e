"""What an agent is told of its workspace: instruction files and skills, as they were when they were read.

They are pinned to the chat, so that its prompt stays the same from turn to turn, also while the workspace is
away.
Rules for change: add fields with a default; never change what a field means.
"""

from collections.abc import Iterable
from enum import StrEnum
from hashlib import sha256

from msgspec import Struct

from chatd.domain.ids import Micros
from chatd.kit.codec import encode

RESOURCES_MAX = 500
RESOURCE_BYTES_MAX = 64 * 1024
# All texts of a snapshot together.
SNAPSHOT_BYTES_MAX = 2 * 1024 * 1024


class ResourceKind(StrEnum):
    INSTRUCTION_FILE = "instruction_file"
    SKILL = "skill"
    MCP_CONFIG = "mcp_config"


class ResourceStatus(StrEnum):
    """Only what is `ok` reaches a model. Everything else is shown to people, with the reason."""

    OK = "ok"
    OVERSIZE = "oversize"
    UNREADABLE = "unreadable"
    INVALID = "invalid"
    EXCLUDED = "excluded"


class Resource(Struct, frozen=True, kw_only=True):
    """One file. Its texts have nothing in them that people cannot see."""

    kind: ResourceKind
    # Its path, from the root of the workspace.
    source: str
    status: ResourceStatus = ResourceStatus.OK
    size_bytes: int = 0
    # Why it is not `ok`.
    error: str = ""
    # Of skills only.
    skill_name: str = ""
    skill_description: str = ""
    # An instruction file as it is, and a skill without its front matter. Of others there is none.
    text: str = ""

    @property
    def is_ok(self) -> bool:
        return self.status is ResourceStatus.OK


class Context(Struct, frozen=True, kw_only=True):
    """A snapshot: everything of one workspace at one moment."""

    workspace: str
    resources: tuple[Resource, ...] = ()
    # There is more than RESOURCES_MAX.
    truncated: bool = False

    @property
    def hash(self) -> str:
        return hash_of(self.resources)


class Pinned(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the row of a chat tells of the snapshot that is pinned to it. The resources are kept beside it."""

    workspace: str
    hash: str
    # The snapshot version of the chat in which it was pinned: another one, another pin.
    version: int
    at: Micros
    truncated: bool = False
    # Since when the workspace is known to differ from it.
    dirty_since: Micros | None = None


def hash_of(resources: Iterable[Resource]) -> str:
    """Differs when a model would be told something else.

    The declaration of MCP servers does not count: what those offer is no part of the snapshot.
    """
    shown = [each for each in resources if each.kind is not ResourceKind.MCP_CONFIG]
    return sha256(encode(shown)).hexdigest()
