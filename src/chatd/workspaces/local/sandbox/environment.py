"""The environment of a command: made from a list of what is allowed, never the server's (pure)."""

from collections.abc import Mapping

from chatd.domain.ids import ChatId

# What commands may know of the server's environment.
ALLOWED = frozenset({"PATH", "LANG", "LANGUAGE", "TZ", "USER", "LOGNAME"})
ALLOWED_PREFIX = "LC_"
# Ours are settings and secrets of the server, whatever an administrator lists.
FORBIDDEN_PREFIX = "CHATD_"

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

# A command has no person who could answer it: no colours, no pagers, no editors, no questions.
UNATTENDED: Mapping[str, str] = {
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "SYSTEMD_PAGER": "cat",
    "EDITOR": "true",
    "VISUAL": "true",
    "GIT_EDITOR": "true",
    "GIT_SEQUENCE_EDITOR": "true",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS": "true",
    "DEBIAN_FRONTEND": "noninteractive",
    "PIP_NO_INPUT": "1",
    "NPM_CONFIG_YES": "true",
}

# A directory with the right names in it is a repository for git, with settings that name programs. Agents
# can make one with tools for files alone: git is to use only those that are called `.git`, or are named.
GIT_SETTING = ("safe.bareRepository", "explicit")
_GIT_COUNT = "GIT_CONFIG_COUNT"


def environment(
    server: Mapping[str, str],
    *,
    chat_id: ChatId,
    home: str,
    passed: frozenset[str] = frozenset(),
    wanted: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """`passed` names variables that the administrator lets through, `wanted` is of the one command."""
    inherited = {name: value for name, value in server.items() if _is_allowed(name, passed)}
    return {
        "PATH": PATH,
        "LANG": "C.UTF-8",
        **inherited,
        **UNATTENDED,
        **_git_setting(inherited),
        **(wanted or {}),
        "HOME": home,
        "SHELL": "/bin/sh",
        "CHATD_AGENT": "true",
        "CHATD_CHAT_ID": chat_id,
    }


def _git_setting(inherited: Mapping[str, str]) -> dict[str, str]:
    """Behind the settings of git that an administrator passes on in variables."""
    given = inherited.get(_GIT_COUNT, "0")
    count = int(given) if given.isdecimal() else 0
    name, value = GIT_SETTING
    return {
        _GIT_COUNT: str(count + 1),
        f"GIT_CONFIG_KEY_{count}": name,
        f"GIT_CONFIG_VALUE_{count}": value,
    }


def _is_allowed(name: str, passed: frozenset[str]) -> bool:
    if name.startswith(FORBIDDEN_PREFIX):
        return False
    return name in ALLOWED or name in passed or name.startswith(ALLOWED_PREFIX)
