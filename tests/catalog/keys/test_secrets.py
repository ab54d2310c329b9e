import stat
from pathlib import Path

import pytest

from chatd.catalog.keys.secrets import KEY_FILE, Secrets, masked, new_key, read_or_make
from chatd.errors import Misconfigured, Unusable

SECRETS = Secrets(bytes(32))


def test_a_secret_comes_back_to_its_place() -> None:
    sealed = SECRETS.seal("schlüssel", place="here")

    assert SECRETS.open(sealed, place="here") == "schlüssel"
    assert sealed != SECRETS.seal("schlüssel", place="here")


def test_damage_is_noticed() -> None:
    sealed = SECRETS.seal("a key of somebody", place="here")

    for damaged in (sealed[:-4] + "AAA=", sealed + "*", sealed[:-8], SECRETS.mark):
        with pytest.raises(Unusable, match="damaged, or belongs elsewhere"):
            SECRETS.open(damaged, place="here")
    with pytest.raises(Unusable, match="damaged, or belongs elsewhere"):
        SECRETS.open(sealed, place="there")


def test_what_another_key_has_sealed_is_told_apart_from_damage() -> None:
    with pytest.raises(Misconfigured, match=r"sealed with another secret key.*forget-keys"):
        Secrets(bytes([7]) * 32).open(SECRETS.seal("a", place="here"), place="here")


def test_the_key_is_made_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    first = read_or_make(tmp_path, None)

    assert stat.S_IMODE((tmp_path / KEY_FILE).stat().st_mode) == 0o600
    assert read_or_make(tmp_path, None).key_id == first.key_id
    assert [path.name for path in tmp_path.iterdir()] == [KEY_FILE]


def test_the_key_of_the_settings_counts_and_leaves_no_file(tmp_path: Path) -> None:
    key = new_key()

    assert read_or_make(tmp_path, key).key_id == read_or_make(tmp_path, key).key_id
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wrong", ["", "not base64!", "c2hvcnQ="])
def test_a_key_that_is_none_is_told_and_not_shown(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(Misconfigured, match="openssl rand") as raised:
        read_or_make(tmp_path, wrong)
    assert not wrong or wrong not in str(raised.value)

    (tmp_path / KEY_FILE).write_text(wrong)
    with pytest.raises(Misconfigured, match=KEY_FILE):
        read_or_make(tmp_path, None)


def test_of_a_key_only_its_end_is_shown_and_of_a_short_one_nothing() -> None:
    assert masked("sk-0123456789abcdef") == "…cdef"
    assert masked("short") == "…"
