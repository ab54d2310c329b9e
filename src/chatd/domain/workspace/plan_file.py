"""Where a chat writes its plan down, if it has a workspace (pure)."""

from posixpath import join, normpath, relpath

from chatd.domain.ids import ChatId

# As large as a plan may be, in bytes of UTF-8.
PLAN_BYTES_MAX = 32 * 1024


def plan_path(chat_id: ChatId) -> str:
    """From the root of the workspace."""
    return f".chatd/plans/PLAN-{chat_id}.md"


def is_plan_path(path: str, chat_id: ChatId, root: str) -> bool:
    """Whether a path as a model writes it, relative or absolute, is that of the plan, by its words."""
    return relpath(normpath(join(root, path)), root) == plan_path(chat_id)
