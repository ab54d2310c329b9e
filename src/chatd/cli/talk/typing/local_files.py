"""Files of this machine, for who types a path: to attach one, or to mention one of the workspace."""

import asyncio
import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from chatd.cli.talk.typing.completion import OFFERED_MAX, Offer

# Looked through for a part of a path: in a larger workspace the server finds more, once the chat has begun.
CANDIDATES_MAX = 5000
# Not what one mentions.
_LEFT_OUT = frozenset({"node_modules", "__pycache__", "build", "dist", "target", "venv"})


async def paths_beginning_with(part: str) -> Sequence[Offer]:
    """As a shell completes them."""
    typed = Path(os.path.expanduser(part))  # noqa: ASYNC240, PTH111 - the directory of a person who types
    folder = typed if part.endswith("/") or not part else typed.parent
    beginning = "" if part.endswith("/") or not part else typed.name
    found = sorted(path for path in folder.iterdir() if path.name.startswith(beginning))
    prefix = part[: len(part) - len(beginning)]
    return [Offer(f"{prefix}{path.name}{'/' if path.is_dir() else ''}") for path in found[:OFFERED_MAX]]


async def files_below(root: Path, part: str) -> Sequence[Offer]:
    """Those whose path has this part, the shortest first."""
    return await asyncio.to_thread(_found, root, part.casefold())


def _found(root: Path, part: str) -> list[Offer]:
    candidates = islice(_files(root), CANDIDATES_MAX)
    return [Offer(path) for path in sorted((p for p in candidates if part in p.casefold()), key=len)]


def _files(root: Path) -> Iterator[str]:
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT and not name.startswith("."))
        for name in sorted(files):
            yield str(Path(folder, name).relative_to(root))
