from pathlib import Path

from msgspec.structs import replace

from chatd.workspaces.local.git.run_by_git import find_run_by_git
from chatd.workspaces.local.sandbox.mounts import Place, arguments


def a_place(tmp_path: Path, **more: object) -> Place:
    named = {"root": "root", "tmp": "scratch/tmp", "home": "scratch/home", "user_home": "user"}
    paths: dict[str, object] = {key: tmp_path / name for key, name in named.items()}
    made = {**paths, **more}
    for path in made.values():
        if isinstance(path, Path):
            path.mkdir(parents=True, exist_ok=True)
    return Place(**made)  # type: ignore[arg-type]


def mounted(place: Place) -> list[tuple[str, str]]:
    """What is mounted where, in order: only directories that tests have made."""
    words = arguments(place)
    pairs = []
    for number, word in enumerate(words):
        if word in ("--bind", "--ro-bind"):
            pairs.append((word, words[number + 2]))
        elif word == "--tmpfs":
            pairs.append((word, words[number + 1]))
    return [pair for pair in pairs if pair[1].startswith(str(place.user_home.parent))]


def test_the_server_is_hidden_also_when_its_data_is_within_the_workspace(tmp_path: Path) -> None:
    data = tmp_path / "root" / "data"
    data.mkdir(parents=True)

    found = mounted(a_place(tmp_path, hidden=(data,)))

    assert found.index(("--bind", str(tmp_path / "root"))) < found.index(("--tmpfs", str(data)))


def test_where_nothing_is_to_change_the_workspace_and_what_is_writable_beside_it_are_read_only(
    tmp_path: Path,
) -> None:
    beside = tmp_path / "beside"
    place = a_place(tmp_path, read_only=True)
    beside.mkdir()

    found = mounted(replace(place, writable=(beside,)))

    assert ("--ro-bind", str(tmp_path / "root")) in found
    assert ("--ro-bind", str(beside)) in found
    assert ("--bind", str(tmp_path / "user")) in found


def test_a_workspace_within_hidden_data_is_shown(tmp_path: Path) -> None:
    root, data = tmp_path / "data" / "root", tmp_path / "data"

    found = mounted(a_place(tmp_path, root=root, hidden=(data,)))

    assert found.index(("--tmpfs", str(data))) < found.index(("--bind", str(root)))


def test_a_workspace_that_is_hidden_itself_stays_hidden(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()

    assert mounted(a_place(tmp_path, hidden=(root,)))[-1] == ("--tmpfs", str(root))


def test_the_home_of_the_user_is_replaced_and_the_workspace_in_it_is_shown(tmp_path: Path) -> None:
    home = tmp_path / "user"
    root = home / "src" / "project"

    found = mounted(a_place(tmp_path, root=root))

    assert found == [("--bind", str(home)), ("--bind", str(root))]


def test_where_the_whole_home_is_the_workspace_its_secrets_are_hidden(tmp_path: Path) -> None:
    home = tmp_path / "user"
    (home / ".ssh").mkdir(parents=True)
    (home / ".netrc").write_text("password")

    found = mounted(a_place(tmp_path, root=home))

    assert found == [
        ("--bind", str(home)),
        ("--tmpfs", str(home / ".ssh")),
        ("--ro-bind", str(home / ".netrc")),
    ]


def test_what_an_administrator_shows_of_a_home_can_be_read(tmp_path: Path) -> None:
    tools = tmp_path / "user" / ".cargo"
    tools.mkdir(parents=True)

    assert mounted(a_place(tmp_path, readable=(tools,)))[-1] == ("--ro-bind", str(tools))


def test_there_is_no_network_unless_it_is_allowed(tmp_path: Path) -> None:
    assert "--share-net" not in arguments(a_place(tmp_path))
    assert "--share-net" in arguments(a_place(tmp_path, network=True))


def test_what_git_runs_by_itself_can_be_read_and_not_changed(tmp_path: Path) -> None:
    git = tmp_path / "root" / ".git"
    (git / "hooks").mkdir(parents=True)
    (git / "config").write_text("[core]\n")
    (git / "index").write_text("")

    found = mounted(a_place(tmp_path, git=find_run_by_git(tmp_path / "root")))

    root = found.index(("--bind", str(tmp_path / "root")))
    # The directory itself too: what is a mount cannot be renamed.
    assert found[root + 1] == ("--bind", str(git))
    assert sorted(pair for pair in found[root + 2 :] if ".git" in pair[1]) == [
        ("--ro-bind", str(git / "config")),
        ("--ro-bind", str(git / "hooks")),
    ]


def test_an_administrator_may_let_commands_change_what_git_runs(tmp_path: Path) -> None:
    git = tmp_path / "root" / ".git"
    (git / "hooks").mkdir(parents=True)

    found = mounted(a_place(tmp_path, writable=(git,), git=find_run_by_git(tmp_path / "root")))

    assert {option for option, path in found if ".git" in path} == {"--bind"}
