"""Shapes of a workspace, and of what it tells an agent."""

from typing import Annotated

from msgspec import Meta, Struct

from chatd.domain.workspace.context import ResourceKind, ResourceStatus
from chatd.live.shapes import Moment
from chatd.workspaces.protection import Level


class ResourceView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A file of the workspace that agents are told of, or why they are not."""

    kind: ResourceKind
    source: Annotated[str, Meta(description="Its path, from the root of the workspace.")]
    size_bytes: int
    status: Annotated[ResourceStatus, Meta(description="Only what is `ok` reaches a model.")]
    error: Annotated[str | None, Meta(description="Why it is not `ok`.")] = None
    skill_name: str | None = None
    skill_description: str | None = None


class ContextView(Struct, frozen=True, kw_only=True):
    """What the agent of a chat is told of its workspace, as it was when it was pinned."""

    workspace: Annotated[str | None, Meta(description="null: nothing is pinned.")]
    pinned_at: Moment | None
    dirty_since: Annotated[
        Moment | None, Meta(description="Since when the workspace is known to tell something else.")
    ]
    truncated: Annotated[bool, Meta(description="There are more than 500 files.")]
    resources: tuple[ResourceView, ...]


class WorkspaceView(Struct, frozen=True, kw_only=True):
    usable: Annotated[bool, Meta(description="Whether your chats can work there now.")]
    root: Annotated[
        str | None, Meta(description="The directory; null when there is none, or none for you.")
    ] = None
    level: Annotated[
        Level,
        Meta(
            description="What keeps commands in their place. `sandbox`: they see a machine that they cannot "
            "change, but for the workspace. `limits`: within limits, they can do whatever the server can. "
            "`none`: without any. `closed`: no command runs."
        ),
    ] = Level.CLOSED
    network: Annotated[bool, Meta(description="Whether commands can reach the network.")] = False
    limits: Annotated[tuple[str, ...], Meta(description="What is limited, in words.")] = ()
    keeps_files: Annotated[
        bool, Meta(description="Whether files are kept before agents change them. It needs git.")
    ] = False
    says: Annotated[str, Meta(description="All of this as a sentence.")] = ""
    why: Annotated[
        str, Meta(description="Why it is not usable, or not more protected, and what to do about it.")
    ] = ""
