"""Files whose change has effects beyond themselves: programs that read them do what they say (pure).

A person is asked for each such change, and told why, whatever rules allow changes of files around it. Only a
rule that names the very file allows it.
"""

from collections.abc import Mapping, Sequence

RUN_BY_GIT = "git runs programs that it names, also when you use it yourself"
_GIT = "git runs programs that files in `.git` name, also when you use it yourself"
_HOOKS = "git runs the programs in there"
_EDITOR = "editors run programs that files in there name"
_AGENTS = "agents that work here later are told what it says"

# By the name of a directory above the file, or of the file itself; in lower case.
_ANYWHERE: Mapping[str, str] = {
    ".git": _GIT,
    ".husky": _HOOKS,
    ".githooks": _HOOKS,
    ".vscode": _EDITOR,
    ".idea": _EDITOR,
    ".devcontainer": _EDITOR,
}
_NAMES: Mapping[str, str] = {
    ".mcp.json": "it names programs that agents start, and servers that they call",
    ".envrc": "shells run it",
    ".gitattributes": "git runs the programs that its settings have for the files that it names",
    # The last that is missing before git takes a directory for a repository, and its settings for true.
    "head": "git takes the directory of a file of this name for a repository, and runs what is named there",
    ".gitmodules": "git fetches the repositories that it names, and does what it says with them",
    ".pre-commit-config.yaml": RUN_BY_GIT,
    "lefthook.yml": RUN_BY_GIT,
    "agents.md": _AGENTS,
    "claude.md": _AGENTS,
    ".cursorrules": _AGENTS,
    "skill.md": _AGENTS,
}


def danger_of(path: str, run_by_git: Sequence[str] = ()) -> str | None:
    """Why a person should look at a change of this file. None: it is a file like any other.

    `run_by_git` are paths of this workspace that git takes programs from, by whatever name.
    """
    # Some file systems do not tell upper and lower case apart.
    folded = path.casefold()
    folders = folded.split("/")
    found = next((_ANYWHERE[name] for name in folders if name in _ANYWHERE), None)
    if found is None and any(f"{folded}/".startswith(f"{each.casefold()}/") for each in run_by_git):
        return RUN_BY_GIT
    return found or _NAMES.get(folders[-1])
