"""Where agents may work: in the directory that the administrator has named, and nowhere else."""

from pathlib import Path

import pytest

from chatd.errors import BadInput, Misconfigured
from chatd.storage.data_dir.data_dir import locked, open_data_dir
from chatd.storage.data_dir.find import DIRECTORIES_MAX
from chatd.workspaces.places import NOWHERE, PATH_BYTES_MAX, Places, places_at


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "project" / "inner").mkdir(parents=True)
    (tmp_path / "project" / "file").touch()
    (tmp_path / "secret").mkdir()
    (tmp_path / "project" / "way_out").symlink_to(tmp_path / "secret")
    (tmp_path / "project" / "round").symlink_to("round")
    return tmp_path / "project"


@pytest.mark.parametrize("path", [".", "inner", "inner/..", "{root}", "{root}/inner"])
def test_a_directory_inside_of_the_workspace_can_be_named(root: Path, path: str) -> None:
    named = Places(root).named(path.format(root=root))
    assert named in (root, root / "inner")


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "/",
        "{root}/../secret",
        "way_out",
        "file",
        "missing",
        "round",
        "",
        "a\0b",
        "x" * (PATH_BYTES_MAX + 1),
    ],
)
def test_what_is_not_a_directory_inside_of_it_is_refused(root: Path, path: str) -> None:
    with pytest.raises(BadInput) as refusal:
        Places(root).named(path.format(root=root))
    assert refusal.value.code == "bad_workspace"


def test_a_server_without_a_workspace_says_how_to_get_one() -> None:
    with pytest.raises(BadInput) as refusal:
        NOWHERE.named("/")
    assert "--workspace" in (refusal.value.hint or "")


def test_a_server_has_no_workspace_unless_one_is_named(tmp_path: Path) -> None:
    assert places_at(None, tmp_path) == NOWHERE


def test_the_workspace_is_known_by_its_real_path(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    assert places_at(tmp_path / "link", tmp_path / "data").root == root


@pytest.mark.parametrize("name", ["missing", "file"])
def test_a_workspace_that_cannot_be_used_is_refused_at_the_start(
    root: Path, tmp_path: Path, name: str
) -> None:
    with pytest.raises(Misconfigured, match=name):
        places_at(root / name, tmp_path / "data")


@pytest.mark.parametrize("data", ["project/data", "project", "."])
def test_the_data_directory_is_never_where_agents_work(root: Path, tmp_path: Path, data: str) -> None:
    """It has the keys of the server."""
    with pytest.raises(Misconfigured, match="keys"):
        places_at(root, tmp_path / data)


def data_dir_of_another(path: Path) -> Path:
    """As a server leaves it behind that was stopped."""
    with locked(open_data_dir(path)):
        pass
    return path


@pytest.mark.parametrize("other", ["project", "project/inner", "project/a/b/c", "."])
def test_nor_is_that_of_another_server_of_this_machine(root: Path, tmp_path: Path, other: str) -> None:
    found = data_dir_of_another(tmp_path / other)

    with pytest.raises(Misconfigured, match=f"{found}, the data directory of another"):
        places_at(root, tmp_path / "data")


def test_the_usual_data_directory_is_found_however_deep_it_lies(root: Path, tmp_path: Path) -> None:
    for number in range(DIRECTORIES_MAX):
        (root / f"{number}").mkdir()
    usual = data_dir_of_another(root / "deep" / "below" / "chatd")

    assert places_at(root, tmp_path / "data").root == root
    with pytest.raises(Misconfigured, match="another chatd server"):
        places_at(root, tmp_path / "data", usual_data_dir=usual)


def test_the_data_of_another_server_behind_a_link_are_no_part_of_the_workspace(
    root: Path, tmp_path: Path
) -> None:
    data_dir_of_another(tmp_path / "secret")

    assert places_at(root, tmp_path / "data").root == root


def test_no_chat_is_begun_where_another_server_has_begun_to_keep_its_data(root: Path) -> None:
    places = Places(root)
    data_dir_of_another(root / "inner")

    with pytest.raises(BadInput) as refusal:
        places.named("inner")
    assert refusal.value.code == "bad_workspace"


def test_nor_are_the_settings_and_the_database(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root / "chatd.toml")

    for private in (root / "inner" / "chatd.toml", tmp_path / "link"):
        with pytest.raises(Misconfigured, match="belongs to the server"):
            places_at(root, tmp_path / "data", [tmp_path / "elsewhere", private])
    assert places_at(root, tmp_path / "data", [tmp_path / "elsewhere"]).root == root
