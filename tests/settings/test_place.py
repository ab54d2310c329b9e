"""Where the server of this machine is, read without the rest of its settings."""

from pathlib import Path

import pytest
from msgspec.structs import fields

from chatd.errors import Misconfigured
from chatd.settings.loading import load
from chatd.settings.place import Place, read_place
from chatd.settings.values import Settings


def both(home: Path, toml: str = "", environment: dict[str, str] | None = None) -> tuple[Place, Settings]:
    """As commands that talk to a server read it, and as the server does."""
    (home / "chatd").mkdir()
    (home / "chatd" / "chatd.toml").write_text(toml)
    given = {"XDG_CONFIG_HOME": str(home), "XDG_DATA_HOME": str(home / "data")} | (environment or {})
    return (
        read_place(flags={}, environment=given, directory=home),
        load(flags={}, environment=given, directory=home),
    )


@pytest.mark.parametrize(
    ("toml", "environment"),
    [
        ("", {}),
        ('port = 9000\ndata_dir = "/data"\n', {}),
        ("port = 9000\n", {"CHATD_PORT": "9001", "CHATD_DATA_DIR": "~/x"}),
        ('admin_token = "0123456789abcdef"\n', {"CHATD_LOG_LEVEL": "debug"}),
    ],
)
def test_a_command_finds_the_server_where_its_settings_put_it(
    tmp_path: Path, toml: str, environment: dict[str, str]
) -> None:
    place, settings = both(tmp_path, toml, environment)

    found = (place.data_dir, place.port, place.admin_token)
    assert found == (settings.data_dir, settings.port, settings.admin_token)


def test_what_is_not_set_is_as_in_the_settings_of_a_server() -> None:
    usual = {field.name: field.default for field in fields(Settings)}

    assert {field.name: field.default for field in fields(Place)}.items() <= usual.items()


def test_a_port_that_is_none_is_told_with_where_it_was_found(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="`CHATD_PORT` in the environment is 'many'"):
        both(tmp_path, environment={"CHATD_PORT": "many"})
