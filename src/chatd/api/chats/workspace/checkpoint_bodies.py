"""The shapes of checkpoints, restores and diffs on the wire."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from chatd.live.shapes import Moment
from chatd.workspaces.checkpoints import Deed
from chatd.workspaces.places import PATH_BYTES_MAX

DryRun = Annotated[bool, Meta(description="Only tell what would be done.")]


class RestoreFiles(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    dry_run: DryRun = False
    path: Annotated[
        Annotated[str, Meta(max_length=PATH_BYTES_MAX)] | None,
        Meta(description="Only this file, relative to the workspace."),
    ] = None


class UndoRestore(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    dry_run: DryRun = False


class DiffFiles(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    path: Annotated[
        Annotated[str, Meta(max_length=PATH_BYTES_MAX)] | None,
        Meta(description="Only of this file: for a diff that is too long as a whole."),
    ] = None
    until: Annotated[
        Literal["next", "now"],
        Meta(description="`next`: before the next message of a user. `now`: the files as they are."),
    ] = "next"


class CheckpointView(Struct, frozen=True, kw_only=True):
    message_id: Annotated[int, Meta(description="The message with the calls that changed files.")]
    created_at: Moment


class CheckpointList(Struct, frozen=True, kw_only=True):
    checkpoints: Annotated[tuple[CheckpointView, ...], Meta(description="The oldest first.")]
    can_undo: Annotated[bool, Meta(description="There was a restore that can be undone.")]
    interrupted: Annotated[
        bool, Meta(description="A restore was cut off in the middle. Repeat it, or undo it.")
    ]


class ChangedFileView(Struct, frozen=True, kw_only=True):
    path: Annotated[str, Meta(description="Relative to the workspace.")]
    deed: Deed


class LeftFileView(Struct, frozen=True, kw_only=True):
    path: str
    reason: str


class RestoreView(Struct, frozen=True, kw_only=True):
    """What a restore has done to the files, or would do."""

    files: tuple[ChangedFileView, ...]
    more_files: Annotated[int, Meta(description="How many more there are than `files` lists.")]
    failed: Annotated[
        tuple[LeftFileView, ...], Meta(description="Files that were left as they are, each with the reason.")
    ]
    dry_run: bool


class DiffView(Struct, frozen=True, kw_only=True):
    files: tuple[ChangedFileView, ...]
    more_files: Annotated[int, Meta(description="How many more there are than `files` lists.")]
    diff: Annotated[str, Meta(description="A unified diff of up to 3 MiB; empty when it would be longer.")]
    too_long: Annotated[bool, Meta(description="Then `?path=` has the diff of one file.")]
    incomplete: Annotated[
        bool,
        Meta(description="Files of a step in between were not kept: changes are missing, or of other steps."),
    ]
