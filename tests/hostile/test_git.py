"""Attempts to have git run something, outside of the sandbox and later, by what is left in a repository.

Each is tried in a real sandbox on repositories of all kinds. Afterwards its owner uses git, as they would.
"""

import os
import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from chatd.approvals.judge import Proposal, Rules, judge
from chatd.domain.approvals.rule import Rule, Touches, Verdict
from chatd.workspaces.local.files.local_files import LocalFiles
from chatd.workspaces.local.files.threads import Threads
from chatd.workspaces.local.git.run_by_git import REPOSITORIES_MAX, find_run_by_git
from chatd.workspaces.local.sandbox.confine import SandboxMode
from tests.workspaces.local.world import World, a_world, program


def git(where: Path, *words: str) -> None:
    """As the owner of the repository uses it: outside of the sandbox."""
    identity = {"GIT_AUTHOR_NAME": "o", "GIT_AUTHOR_EMAIL": "o@x", "GIT_COMMITTER_NAME": "o"}
    safe = {"GIT_COMMITTER_EMAIL": "o@x", "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(where)}
    allowed = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "protocol.file.allow"}
    subprocess.run(
        [program("git"), *words],
        cwd=where,
        env={"PATH": os.environ["PATH"], **identity, **safe, **allowed, "GIT_CONFIG_VALUE_0": "always"},
        check=False,
        capture_output=True,
        timeout=60,
    )


def plain(root: Path) -> Path:
    git(root, "init", "-q")
    return root


def nested(root: Path) -> Path:
    plain(root)
    inner = root / "vendor" / "lib"
    inner.mkdir(parents=True)
    return plain(inner)


def submodule(root: Path) -> Path:
    """Its git directory is in that of the one around it, and its `.git` a file."""
    plain(root)
    origin = root.parent / "origin"
    origin.mkdir()
    plain(origin)
    git(origin, "commit", "-q", "--allow-empty", "-m", "first")
    git(root, "submodule", "add", "-q", str(origin), "sub")
    assert (root / "sub" / ".git").is_file()
    return root / "sub"


def working_copy(root: Path) -> Path:
    """Made with `git worktree`, beside the repository in the same workspace."""
    plain(root)
    git(root, "commit", "-q", "--allow-empty", "-m", "first")
    git(root, "worktree", "add", "-q", "copy")
    assert (root / "copy" / ".git").is_file()
    return root / "copy"


def without_hooks(root: Path) -> Path:
    git(root, "init", "-q", "--template=")
    assert not (root / ".git" / "hooks").exists()
    return root


def hooks_elsewhere(root: Path) -> Path:
    plain(root)
    git(root, "config", "core.hooksPath", "tools/hooks")
    (root / "tools" / "hooks").mkdir(parents=True)
    return root


def hooks_nowhere_yet(root: Path) -> Path:
    plain(root)
    git(root, "config", "core.hooksPath", "tools/hooks")
    return root


def settings_included(root: Path) -> Path:
    plain(root)
    (root / "team.gitconfig").write_text("")
    git(root, "config", "include.path", "../team.gitconfig")
    return root


REPOSITORIES: dict[str, Callable[[Path], Path]] = {
    make.__name__: make
    for make in (
        plain,
        nested,
        submodule,
        working_copy,
        without_hooks,
        hooks_elsewhere,
        hooks_nowhere_yet,
        settings_included,
    )
}

# `$D` is the git directory as git itself names it, `$C` the one with the settings, `$T` the working copy.
HOOK = "printf '#!/bin/sh\\ntouch %s\\n' \"$MARK\""
SETTING = "printf '[core]\\n\\tfsmonitor = touch %s; false\\n' \"$MARK\""
ATTEMPTS = {
    "write a hook": f"mkdir -p $C/hooks; {HOOK} > $C/hooks/pre-commit; chmod +x $C/hooks/pre-commit",
    "write a hook where settings say": (
        f"mkdir -p $T/tools/hooks; {HOOK} > $T/tools/hooks/pre-commit; chmod +x $T/tools/hooks/pre-commit"
    ),
    "move the hooks away": f"mv $C/hooks $C/h; mkdir $C/hooks; {HOOK} > $C/hooks/pre-commit; "
    "chmod +x $C/hooks/pre-commit",
    "change a setting": f"{SETTING} >> $C/config",
    "change a setting with git": 'git -C $T config core.fsmonitor "touch $MARK; false"',
    "replace the settings": f"{SETTING} > $T/new; mv -f $T/new $C/config",
    "include settings": f"{SETTING} > $T/team.gitconfig",
    "move the directory away": f"mv $C $C.old && cp -r $C.old $C && {SETTING} >> $C/config",
    "move the working copy away": f"mv $T $T.old && cp -r $T.old $T && {SETTING} >> $T/.git/config",
    "point elsewhere": f"mkdir $T/evil; cp -r $C/. $T/evil; {SETTING} >> $T/evil/config; rm -rf $T/.git; "
    "echo gitdir: $T/evil > $T/.git",
    "take settings from elsewhere": f"mkdir $T/evil; cp -r $C/. $T/evil; {SETTING} >> $T/evil/config; "
    "echo $T/evil > $D/commondir",
    "settings of the working copy": "git -C $T config extensions.worktreeConfig true; "
    f"{SETTING} > $D/config.worktree",
    "link the settings": f"{SETTING} > $T/evil; ln -sf $T/evil $C/config",
    "mount over it": f"mkdir $T/h; {HOOK} > $T/h/pre-commit; chmod +x $T/h/pre-commit; "
    "mount --bind $T/h $C/hooks",
}


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with a_world(tmp_path) as made:
        yield made


@pytest.mark.parametrize("kind", REPOSITORIES)
@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda attempt: attempt.replace(" ", "-"))
async def test_nothing_that_a_command_leaves_is_run_by_git_later(
    world: World, tmp_path: Path, kind: str, attempt: str
) -> None:
    tree = REPOSITORIES[kind](world.root)
    mark = tmp_path / "evil-ran"
    where = f"T={tree}; D=$(cd $T; git rev-parse --absolute-git-dir); "
    common = 'C=$(cd $T; cd "$(git rev-parse --git-common-dir)"; pwd); '

    await world.run(f"MARK={mark}; {where}{common}{ATTEMPTS[attempt]}")

    (tree / "new").write_text("something")
    for words in (("status",), ("add", "-A"), ("commit", "-m", "mine", "--allow-empty")):
        git(tree, *words)
    assert not mark.exists()


@pytest.mark.parametrize("mode", [SandboxMode.REQUIRE, SandboxMode.OFF])
async def test_files_that_look_like_a_repository_are_none_for_the_git_of_a_command(
    tmp_path: Path, mode: SandboxMode
) -> None:
    """Made with tools for files, whose every change was allowed; then an allowed `git status` runs in it."""
    async with a_world(tmp_path, mode) as world:
        made = world.root / "notes"
        (made / "objects").mkdir(parents=True)
        (made / "refs").mkdir()
        (made / "HEAD").write_text("ref: refs/heads/main\n")
        (made / "config").write_text('[core]\n\tworktree = ..\n\tfsmonitor = "touch evil-ran; false"\n')

        output = await world.run("git status", workdir="notes")

        assert "bare" in output.text
        assert output.process.exit_code != 0
        assert not list(world.root.rglob("evil-ran"))


def test_the_file_that_makes_a_directory_a_repository_is_asked_for() -> None:
    allowed = (Rule(verdict=Verdict.ALLOW, tool="*", paths=("**",)),)
    for path in ("notes/HEAD", "HEAD", "notes/head"):
        proposal = Proposal(tool="write_file", touches=Touches(writes=(path,)), workspace="/project")
        judgement = judge(Rules(user=allowed), proposal)

        assert judgement.verdict is Verdict.ASK
        assert judgement.request is not None
        assert "repository" in (judgement.request.danger or "")


async def test_git_can_be_used_in_the_sandbox_all_the_same(world: World) -> None:
    tree = nested(world.root)

    said = await world.says(
        f"cd {tree} && echo a > a && git add a && git -c user.name=a -c user.email=a@x commit -qm first && "
        "git log --format=%s && git checkout -q -b other && git status --short && git branch --show-current"
    )

    assert said == "first\nother\n"


def test_of_very_many_repositories_the_nearest_are_looked_at(tmp_path: Path) -> None:
    for number in range(REPOSITORIES_MAX + 8):
        (tmp_path / "deep" / str(number) / ".git").mkdir(parents=True)
    (tmp_path / "near" / ".git").mkdir(parents=True)

    found = find_run_by_git(tmp_path)

    assert found.directories[0] == tmp_path / "near" / ".git"
    assert len(found.directories) == REPOSITORIES_MAX


def test_a_repository_is_found_among_more_names_than_are_read(tmp_path: Path) -> None:
    (tmp_path / ".git" / "hooks").mkdir(parents=True)

    found = find_run_by_git(tmp_path, names_max=0)

    assert found.directories == (tmp_path / ".git",)


def test_links_and_loops_lead_nowhere(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / ".git" / "hooks").mkdir(parents=True)
    root = tmp_path / "root"
    root.mkdir()
    (root / "away").symlink_to(outside)
    (root / "loop").symlink_to(root)
    (root / ".git").write_text(f"gitdir: {outside}/.git\n")

    found = find_run_by_git(root)

    assert (found.directories, found.fixed) == ((), (root / ".git",))


# What git, or an editor of its hooks, takes programs from; as paths that a tool would write.
WRITTEN = {
    "a hook of a nested repository": "vendor/lib/.git/hooks/pre-commit",
    "settings of a nested repository": "vendor/lib/.git/config",
    "a hook of a submodule": ".git/modules/sub/hooks/pre-commit",
    "where a submodule is": "sub/.git",
    "a hook where settings say": "tools/hooks/pre-commit",
    "settings that are included": "team.gitconfig",
    "a hook of a bare repository": "mirror/hooks/post-update",
    "settings of a bare repository": "mirror/config",
    "attributes": "docs/.gitattributes",
    "submodules": ".gitmodules",
    "hooks of a manager": ".githooks/pre-push",
    "hooks of another manager": ".pre-commit-config.yaml",
}


@pytest.mark.parametrize("tool", ["write_file", "execute"])
@pytest.mark.parametrize("attempt", WRITTEN, ids=lambda attempt: attempt.replace(" ", "-"))
async def test_each_change_of_what_git_runs_is_asked_for(tmp_path: Path, attempt: str, tool: str) -> None:
    nested(tmp_path)
    git(tmp_path, "config", "core.hooksPath", "tools/hooks")
    git(tmp_path, "config", "include.path", "../team.gitconfig")
    (tmp_path / "team.gitconfig").write_text("")
    git(tmp_path, "init", "-q", "--bare", "mirror")
    path = WRITTEN[attempt]
    touches = Touches(writes=(path,)) if tool == "write_file" else Touches(commands=(f"cp evil {path}",))
    everything = (
        Rule(verdict=Verdict.ALLOW, tool="*", paths=("**", "*")),
        Rule(verdict=Verdict.ALLOW, tool="*", words=("cp", "*")),
    )
    found = await LocalFiles(tmp_path, Threads(inline=True)).run_by_git()
    proposal = Proposal(tool=tool, touches=touches, workspace=str(tmp_path), run_by_git=found)

    judgement = judge(Rules(user=everything), proposal)

    assert judgement.verdict is Verdict.ASK
    assert judgement.request is not None
    assert judgement.request.danger is not None
    assert judgement.request.scopes == ()
