"""Files whose change has effects beyond themselves: programs that read them do what they say (pure).

A person is asked for each such change, and told why, whatever rules allow changes of files around it. Only a
rule that names the very file allows it.
"""

from collections.abc import Mapping

_GIT = "git runs programs that files in `.git` name, also when you use it yourself"
_EDITOR = "editors run programs that files in there name"
_AGENTS = "agents that work here later are told what it says"

# By the name of a directory above the file, or of the file itself; in lower case.
_ANYWHERE: Mapping[str, str] = {
    ".git": _GIT,
    ".husky": "git runs the programs in there",
    ".vscode": _EDITOR,
    ".idea": _EDITOR,
    ".devcontainer": _EDITOR,
}
_NAMES: Mapping[str, str] = {
    ".mcp.json": "it names programs that agents start, and servers that they call",
    ".envrc": "shells run it",
    "agents.md": _AGENTS,
    "claude.md": _AGENTS,
    ".cursorrules": _AGENTS,
    "skill.md": _AGENTS,
}


def danger_of(path: str) -> str | None:
    """Why a person should look at a change of this file. None: it is a file like any other."""
    # Some file systems do not tell upper and lower case apart.
    folders = path.casefold().split("/")
    found = next((_ANYWHERE[name] for name in folders if name in _ANYWHERE), None)
    return found or _NAMES.get(folders[-1])
