"""How much a repository may hold: the oldest checkpoints make room for new ones."""

import shutil

from chatd.domain.ids import ChatId
from chatd.workspaces.local.checkpoints.git import Git, GitError
from chatd.workspaces.local.checkpoints.repository import Repository

# Of all checkpoints, forgotten at once when there is no room.
_SHARE_FORGOTTEN = 4


def check_disk(repository: Repository, *, free_bytes_min: int) -> None:
    free = shutil.disk_usage(repository.directory).free
    if free < free_bytes_min:
        raise GitError(f"only {free // 1024**2} MiB are free on the disk of the data directory.")


def forget_oldest(repository: Repository, chat_id: ChatId, *, kept_max: int) -> None:
    names = list(repository.checkpoints(chat_id).values())
    for name in names[:-kept_max]:
        repository.remove_ref(chat_id, name)


def make_room(git: Git, repository: Repository, *, bytes_max: int) -> int:
    """Forget until it fits. Answers with what it takes then. Raises GitError when the newest alone does not.

    That one is forgotten too: else the disk would fill up although nothing is kept any more.
    """
    prune(git)
    while (size := repository.size_bytes()) > bytes_max:
        kept = sorted(
            (checkpoint.taken_at, chat_id, name)
            for chat_id in repository.chats()
            for checkpoint, name in repository.checkpoints(chat_id).items()
        )
        for _, chat_id, name in kept[: max(1, len(kept) // _SHARE_FORGOTTEN)]:
            repository.remove_ref(chat_id, name)
        if len(kept) <= 1:
            repository.forget_index()
        prune(git)
        if len(kept) <= 1:
            raise GitError(f"a checkpoint of this workspace takes more than {bytes_max // 1024**2} MiB.")
    return size


def prune(git: Git) -> None:
    """Remove the objects that no ref needs any more."""
    git("prune", "--expire=now")
