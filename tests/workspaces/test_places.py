"""Where agents may work: in the directory that the administrator has named, and nowhere else."""

from pathlib import Path

import pytest

from chatd.errors import BadInput, Misconfigured
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


def test_nor_are_the_settings_and_the_database(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root / "chatd.toml")

    for private in (root / "inner" / "chatd.toml", tmp_path / "link"):
        with pytest.raises(Misconfigured, match="belongs to the server"):
            places_at(root, tmp_path / "data", [tmp_path / "elsewhere", private])
    assert places_at(root, tmp_path / "data", [tmp_path / "elsewhere"]).root == root
