from collections.abc import Mapping
from pathlib import Path

import pytest

from chatd.cli.flags.operate import serve
from chatd.errors import Misconfigured
from chatd.settings import (
    FILE_ONLY,
    FLAGS,
    Approvals,
    LogFormat,
    LogLevel,
    Settings,
    injected_variables,
    load,
    settings_files,
    stray_file,
)
from chatd.settings.reference import reference
from chatd.settings.source import as_path
from tests.traceability import proves
from tests.words import allows, denies

# Where a user keeps it, below what stands for their directory of settings in these tests.
CHATD_TOML = Path("chatd/chatd.toml")


def loaded(
    directory: Path,
    *,
    flags: Mapping[str, object] | None = None,
    environment: Mapping[str, str] | None = None,
    toml: str | None = None,
) -> Settings:
    if toml is not None:
        write(directory / CHATD_TOML, toml)
    # Nothing of whoever runs the tests decides.
    homes = {"XDG_CONFIG_HOME": str(directory), "XDG_DATA_HOME": str(directory / "data")}
    return load(flags=flags or {}, environment=homes | dict(environment or {}), directory=directory)


def write(path: Path, toml: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(toml)


def refusal(
    directory: Path,
    *,
    flags: Mapping[str, object] | None = None,
    environment: Mapping[str, str] | None = None,
    toml: str | None = None,
) -> str:
    with pytest.raises(Misconfigured) as refused:
        loaded(directory, flags=flags, environment=environment, toml=toml)
    return str(refused.value)


def test_without_anything_there_are_defaults(tmp_path: Path) -> None:
    assert loaded(tmp_path, environment={"XDG_DATA_HOME": "/data"}) == Settings(
        host="127.0.0.1",
        port=8787,
        data_dir=Path("/data/chatd"),
        database_url=None,
        admin_token=None,
        log_level=LogLevel.INFO,
        log_format=LogFormat.AUTO,
    )


@pytest.mark.parametrize("home", ["", "relative"])
def test_data_is_kept_at_home_unless_told_otherwise(tmp_path: Path, home: str) -> None:
    found = loaded(tmp_path, environment={"XDG_DATA_HOME": home})

    assert found.data_dir == Path.home() / ".local/share/chatd"


def test_the_database_is_in_the_data_directory_unless_told_otherwise(tmp_path: Path) -> None:
    assert loaded(tmp_path, flags={"data_dir": "/data"}).database == "sqlite:////data/chatd.db"
    assert loaded(tmp_path, flags={"database_url": "postgresql://db"}).database == "postgresql://db"


def test_a_flag_wins_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    settings = loaded(
        tmp_path,
        flags={"host": "flag", "port": None},
        environment={"CHATD_HOST": "environment", "CHATD_PORT": "2"},
        toml='host = "file"\nport = 3\nlog_level = "debug"',
    )

    assert (settings.host, settings.port, settings.log_level) == ("flag", 2, LogLevel.DEBUG)


def test_an_empty_variable_sets_nothing(tmp_path: Path) -> None:
    assert loaded(tmp_path, environment={"CHATD_PORT": "", "CHATD_ADMIN_TOKEN": ""}).port == 8787


def test_variables_of_others_and_of_our_tests_are_ignored(tmp_path: Path) -> None:
    environment = {"CHATD_TEST_POSTGRES_URL": "x", "CHAT_PORT": "x", "PORT": "x", "chatd_port": "x"}

    assert loaded(tmp_path, environment=environment).port == 8787


def test_a_home_directory_can_be_abbreviated(tmp_path: Path) -> None:
    assert loaded(tmp_path, environment={"CHATD_DATA_DIR": "~/x"}).data_dir == Path.home() / "x"


def test_the_file_can_be_named_by_a_flag_or_by_the_environment(tmp_path: Path) -> None:
    write(tmp_path / CHATD_TOML, "port = 1")
    (tmp_path / "two.toml").write_text("port = 2")
    (tmp_path / "three.toml").write_text("port = 3")
    environment = {"CHATD_CONFIG": "two.toml"}

    assert loaded(tmp_path).port == 1
    assert loaded(tmp_path, environment=environment).port == 2
    assert loaded(tmp_path, environment=environment, flags={"config": "three.toml"}).port == 3


@pytest.mark.parametrize("home", ["", "relative"])
def test_the_file_is_at_home_unless_told_otherwise(
    tmp_path: Path, home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    write(tmp_path / ".config/chatd/chatd.toml", "port = 1")

    assert loaded(tmp_path, environment={"XDG_CONFIG_HOME": home}).port == 1


def test_a_file_in_the_data_directory_wins_over_the_one_at_home(tmp_path: Path) -> None:
    write(tmp_path / CHATD_TOML, 'port = 1\nhost = "home"')
    write(tmp_path / "data/chatd/chatd.toml", "port = 2")

    assert (loaded(tmp_path).port, loaded(tmp_path).host) == (2, "home")


@pytest.mark.parametrize("how", ["flag", "environment", "file"])
def test_the_file_is_looked_for_in_the_data_directory_that_was_chosen(tmp_path: Path, how: str) -> None:
    chosen = tmp_path / "chosen"
    write(chosen / "chatd.toml", "port = 2")

    settings = loaded(
        tmp_path,
        flags={"data_dir": str(chosen)} if how == "flag" else None,
        environment={"CHATD_DATA_DIR": str(chosen)} if how == "environment" else None,
        toml=f'data_dir = "{chosen}"' if how == "file" else None,
    )

    assert (settings.data_dir, settings.port) == (chosen, 2)


def test_a_file_in_the_data_directory_does_not_say_where_that_is(tmp_path: Path) -> None:
    write(tmp_path / "data/chatd/chatd.toml", 'data_dir = "/elsewhere"')

    assert refusal(tmp_path).startswith(f"`data_dir` in {tmp_path / 'data/chatd/chatd.toml'} would say")


def test_a_file_in_the_current_directory_has_no_say_unless_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "chatd.toml").write_text('host = "0.0.0.0"\nadmin_token = "somebody-elses-token"')

    assert (loaded(tmp_path).host, loaded(tmp_path).admin_token) == ("127.0.0.1", None)
    assert loaded(tmp_path, flags={"config": "chatd.toml"}).host == "0.0.0.0"  # noqa: S104 - not listened on
    assert loaded(tmp_path, environment={"CHATD_CONFIG": "chatd.toml"}).admin_token is not None


def test_a_file_that_has_no_say_is_noticed(tmp_path: Path) -> None:
    def noticed(settings: Settings, **environment: str) -> Path | None:
        return stray_file(settings.data_dir, flags={}, environment=environment, directory=tmp_path)

    settings = loaded(tmp_path, flags={"data_dir": "/data"})
    assert noticed(settings) is None

    (tmp_path / "chatd.toml").write_text("port = 1")
    assert noticed(settings) == tmp_path / "chatd.toml"
    assert noticed(settings, CHATD_CONFIG="other.toml") is None
    assert noticed(loaded(tmp_path, flags={"data_dir": str(tmp_path)})) is None


def test_a_named_file_that_is_missing_is_refused(tmp_path: Path) -> None:
    message = refusal(tmp_path, flags={"config": "gone.toml"})

    assert message == f"Cannot read the settings file {tmp_path / 'gone.toml'}: No such file or directory."


def test_a_file_that_is_no_toml_is_refused_with_its_line(tmp_path: Path) -> None:
    message = refusal(tmp_path, toml="port = 1\nhost = \n")

    assert message.startswith(f"The settings file {tmp_path / CHATD_TOML} is not valid TOML:")
    assert "line 2" in message


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    write(tmp_path / CHATD_TOML, "")
    (tmp_path / CHATD_TOML).write_bytes(b"\xff\xfe")

    assert "is not valid TOML" in refusal(tmp_path)


def test_an_unknown_key_in_the_file_is_refused_with_a_suggestion(tmp_path: Path) -> None:
    assert refusal(tmp_path, toml='hots = "x"') == (
        f"There is no setting `hots`, which {tmp_path / CHATD_TOML} sets. Did you mean `host`?"
    )


def test_an_unknown_variable_is_refused_with_a_suggestion(tmp_path: Path) -> None:
    assert refusal(tmp_path, environment={"CHATD_DATABASE": "x"}) == (
        "There is no setting `CHATD_DATABASE`, which the environment sets. Did you mean `CHATD_DATABASE_URL`?"
    )


def test_a_key_like_no_other_is_told_what_there_is(tmp_path: Path) -> None:
    assert "There are `CHATD_HOST`, `CHATD_PORT`," in refusal(tmp_path, environment={"CHATD_QQ": "x"})


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ('port = "8787"', "is '8787'; it must be a whole number from 0 to 65535."),
        ("port = 65536", "is 65536; it must be a whole number from 0 to 65535."),
        ("port = 1.5", "is 1.5; it must be a whole number from 0 to 65535."),
        ("port = true", "is True; it must be a whole number from 0 to 65535."),
        ("host = 5", "is 5; it must be an address."),
        ('host = ""', "is ''; it must be an address."),
        ("data_dir = 5", "is 5; it must be a path."),
        ('data_dir = ""', "is ''; it must be a path."),
        ('log_format = "yaml"', "is 'yaml'; it must be one of auto, pretty, json."),
        ('log_level = "loud"', "is 'loud'; it must be one of debug, info, warning, error."),
        ("[host]\na = 1", "is {'a': 1}; it must be an address."),
    ],
)
def test_a_wrong_type_in_the_file_is_refused(tmp_path: Path, toml: str, message: str) -> None:
    key = toml.strip("[").replace("]", " ").split(" ")[0].strip()

    assert refusal(tmp_path, toml=toml) == f"`{key.split()[0]}` in {tmp_path / CHATD_TOML} {message}"


@pytest.mark.parametrize("value", ["abc", "-1", "65536", "1.5", "0x10", " 1"])
def test_a_wrong_number_in_the_environment_is_refused(tmp_path: Path, value: str) -> None:
    assert refusal(tmp_path, environment={"CHATD_PORT": value}) == (
        f"`CHATD_PORT` in the environment is {value!r}; it must be a whole number from 0 to 65535."
    )


def test_a_secret_is_never_shown(tmp_path: Path) -> None:
    for key in ("admin_token", "database_url"):
        assert "12345" not in refusal(tmp_path, toml=f"{key} = 12345")


def test_every_setting_is_in_the_reference_with_its_meaning() -> None:
    rows = [line.strip("| ").split(" | ") for line in reference().splitlines() if line.startswith("| `")]

    shown = {cells[0].split()[0].strip("`[]"): cells for cells in rows}
    assert set(shown) == {
        name if name in FILE_ONLY else f"CHATD_{name.upper()}" for name in Settings.__struct_fields__
    }
    assert all(default and meaning.endswith(".") for _, default, meaning in shown.values())
    assert str(Path.home()) not in reference()


def test_the_flags_of_serve_are_those_of_the_reference() -> None:
    assert {parameter.name for parameter in serve.params} == {*FLAGS, "config"}


def test_providers_and_models_are_declared_in_tables(tmp_path: Path) -> None:
    settings = loaded(
        tmp_path,
        toml="""
[[providers]]
name = "local"
type = "openai-compatible"
base_url = "http://127.0.0.1:9000/v1"
api_key_env = "LOCAL_KEY"

[[models]]
provider = "local"
model = "some-model"
context_limit = 128000
default = true
options = { temperature = 0.5 }
""",
    )

    (provider,), (model,) = settings.providers, settings.models
    assert (provider.name, provider.type, provider.api_key_env) == ("local", "openai-compatible", "LOCAL_KEY")
    assert (model.model, model.default, model.options.temperature) == ("some-model", True, 0.5)


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('[[providers]]\nname = "a"\ntyp = "openai"', "has no setting `typ`. Did you mean `type`?"),
        ('[[models]]\nprovider = "a"\nweather = 1', "has no setting `weather`. It may have provider, model"),
        ('[[providers]]\nname = "a"\ntype = "b"', "[[providers]] number 1 in"),
        ('[[models]]\nprovider = "a"\nmodel = "b"\ncontext_limit = 0', "context_limit"),
        ("providers = 3", "must be written as [[providers]] tables"),
        ("[providers]\na = 1", "must be written as [[providers]] tables"),
        ("[[provider]]\na = 1", "Did you mean `providers`?"),
    ],
)
def test_a_wrong_table_is_told(tmp_path: Path, toml: str, said: str) -> None:
    assert said in refusal(tmp_path, toml=toml)


def test_the_key_in_a_wrong_table_is_not_shown(tmp_path: Path) -> None:
    toml = '[[providers]]\nname = "a"\ntype = "b"\napi_key = "sk-very-secret"'

    assert "sk-very-secret" not in refusal(tmp_path, toml=toml)


def test_rules_for_approvals_are_declared_in_their_order(tmp_path: Path) -> None:
    toml = """
approvals = "never"

[[rules]]
verdict = "deny"
tool = "execute"
words = ["rm", "*"]

[[rules]]
verdict = "allow"
tool = "write_file"
paths = ["docs/**"]
"""
    settings = loaded(tmp_path, toml=toml)

    assert settings.approvals is Approvals.NEVER
    assert settings.rules == (denies(words="rm *"), allows("write_file", paths=("docs/**",)))


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('[[rules]]\ntool = "execute"', "[[rules]] number 1 in"),
        ('[[rules]]\nverdict = "maybe"', "[[rules]] number 1 in"),
        ('[[rules]]\nverdict = "deny"\nword = ["rm"]', "Did you mean `words`?"),
        (f'[[rules]]\nverdict = "deny"\ntool = "{"x" * 3000}"', "too long"),
        ('[[rules]]\nverdict = "deny"\n' * 501, "there may be 500"),
    ],
)
def test_a_wrong_rule_is_told(tmp_path: Path, toml: str, said: str) -> None:
    assert said in refusal(tmp_path, toml=toml)


def test_tables_have_no_variable(tmp_path: Path) -> None:
    assert "There is no setting `CHATD_MODELS`" in refusal(tmp_path, environment={"CHATD_MODELS": "a"})


def test_what_kubernetes_sets_for_a_service_called_chatd_is_no_setting(tmp_path: Path) -> None:
    injected = {
        "CHATD_SERVICE_HOST": "10.0.0.11",
        "CHATD_SERVICE_PORT": "8787",
        "CHATD_PORT": "tcp://10.0.0.11:8787",
        "CHATD_PORT_8787_TCP": "tcp://10.0.0.11:8787",
    }

    settings = loaded(tmp_path, environment=injected | {"CHATD_HOST": "192.0.2.1"})

    assert (settings.host, settings.port) == ("192.0.2.1", 8787)
    assert injected_variables(injected) == tuple(sorted(injected))
    assert "Did you mean `CHATD_PORT`?" in refusal(tmp_path, environment=injected | {"CHATD_PROT": "8001"})


def test_several_paths_are_a_list_in_the_file_and_have_colons_between_them_elsewhere(tmp_path: Path) -> None:
    in_file = loaded(tmp_path, toml='sandbox_readable = ["/opt", "~/tools"]')
    in_environment = loaded(tmp_path, environment={"CHATD_SANDBOX_READABLE": "/opt:~/tools:"})

    assert in_file.sandbox_readable == in_environment.sandbox_readable
    assert in_file.sandbox_readable == (Path("/opt"), Path("~/tools").expanduser())
    assert "it must be paths" in refusal(tmp_path, toml='sandbox_readable = "/opt"')


def test_the_files_with_settings_are_known(tmp_path: Path) -> None:
    homes = {"XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    write(tmp_path / CHATD_TOML, "port = 1")
    write(tmp_path / "data" / "chatd" / "chatd.toml", "port = 2")
    write(tmp_path / "named.toml", "port = 3")

    usual = settings_files(flags={}, environment=homes, directory=tmp_path)
    named = settings_files(flags={"config": "named.toml"}, environment=homes, directory=tmp_path)

    assert usual == (tmp_path / CHATD_TOML, tmp_path / "data" / "chatd" / "chatd.toml")
    assert named == (tmp_path / "named.toml",)


def test_a_relative_path_is_that_of_the_directory_in_which_the_server_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git and sandboxes, which are given it, are started in other directories."""
    monkeypatch.chdir(tmp_path)

    assert as_path(Path, "data") == as_path(Path, Path("data")) == tmp_path / "data"


def test_origins_of_other_pages_are_named_one_by_one(tmp_path: Path) -> None:
    named = {"CHATD_CORS_ORIGINS": "https://app.example.org,http://localhost:3000"}
    expected = ("https://app.example.org", "http://localhost:3000")
    assert loaded(tmp_path, environment=named).cors_origins == expected

    for wrong in ("*", "https://*.example.org", "https://app.example.org/", "app.example.org"):
        assert "origins in lower case, without a path" in refusal(
            tmp_path, environment={"CHATD_CORS_ORIGINS": wrong}
        )


def test_ways_in_of_a_proxy_are_tables_and_networks_of_the_file(tmp_path: Path) -> None:
    settings = loaded(
        tmp_path,
        toml='trusted_proxies = ["10.0.0.0/8", "::1"]\n'
        '[proxy_header]\nheader = "X-Remote-User"\nfrom = ["10.0.0.7"]\nsecret = "never to be shown"',
    )

    assert settings.trusted_proxies == ("10.0.0.0/8", "::1")
    assert settings.proxy_header is not None
    assert (settings.proxy_header.header, settings.proxy_header.from_) == ("X-Remote-User", ("10.0.0.7",))
    assert "never to be shown" not in repr(settings)


@proves("people", 7)
@pytest.mark.parametrize("network", ["0.0.0.0/0", "::/0"])
def test_a_network_of_everybody_is_refused_with_a_sentence(tmp_path: Path, network: str) -> None:
    header = refusal(tmp_path, toml=f'[proxy_header]\nheader = "X-Remote-User"\nfrom = ["{network}"]')
    trusted = refusal(tmp_path, toml="", environment={"CHATD_TRUSTED_PROXIES": network})

    for said in (header, trusted):
        assert f"{network!r} has every address in it, so that everybody would be believed" in said
    assert header.startswith("[proxy_header] in ")


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('header = "X-Remote-User"', "missing required field `from`"),
        ('header = "X-Remote-User"\nfrom = []', "`from` names no network"),
        ('header = "X-Remote-User"\nfrom = ["proxy.example"]', "is no address and no network"),
        ('header = "Authorization"\nfrom = ["10.0.0.7"]', "cannot be the header"),
        ('header = "a b"\nfrom = ["10.0.0.7"]', "cannot be the header"),
        ('header = "X-User"\nfrom = ["10.0.0.7"]\nrole_default = "admin"', "makes no administrator"),
        ('header = "X-User"\nfrom = ["10.0.0.7"]\nsecret = "short"', "`secret` has fewer than 16"),
        ('header = "X-User"\nfrom = ["10.0.0.7"]\nsignup = "auto"', "Did you mean `sign_up`?"),
    ],
)
def test_what_is_wrong_with_a_proxy_header_is_said(tmp_path: Path, table: str, said: str) -> None:
    assert said in refusal(tmp_path, toml=f"[proxy_header]\n{table}")


def test_a_table_that_comes_once_is_no_list_and_no_variable(tmp_path: Path) -> None:
    assert "as a [proxy_header] table" in refusal(tmp_path, toml='proxy_header = "X-Remote-User"')
    assert "There is no setting" in refusal(tmp_path, toml="", environment={"CHATD_PROXY_HEADER": "X-User"})


OIDC = 'issuer = "https://id.example.org"\nclient_id = "chatd"\n'


def test_an_identity_provider_is_a_table_of_the_file(tmp_path: Path) -> None:
    secret = 'client_secret = "never to be shown"\n[oidc.role_map]\nops = "admin"'
    settings = loaded(tmp_path, toml=f'[oidc]\n{OIDC}groups_claim = "groups"\n{secret}')

    assert settings.oidc is not None
    assert (settings.oidc.label, settings.oidc.role_map) == ("id.example.org", {"ops": "admin"})
    assert settings.oidc.secret({}) == "never to be shown"
    assert "never to be shown" not in repr(settings)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('issuer = "http://id.example.org"\nclient_id = "chatd"', "is no https:// address"),
        ('issuer = "https://id.example.org/?a=b"\nclient_id = "chatd"', "is no https:// address"),
        ('issuer = "https://id.example.org"', "missing required field `client_id`"),
        (OIDC + 'scopes = ["profile"]', "lacks `openid`"),
        (OIDC + 'role_default = "admin"', "`role_default` is admin"),
        (OIDC + 'required_group = "staff"', "`groups_claim` is not set"),
        (OIDC + 'groups_claim = "groups"\nrole_strict = true', "without a `role_map`"),
        (OIDC + 'client_secret = "a"\nclient_secret_env = "B"', "in more than one way"),
        (OIDC + 'clientid = "a"', "Did you mean `client_id`?"),
    ],
)
def test_what_is_wrong_with_an_identity_provider_is_said(tmp_path: Path, table: str, said: str) -> None:
    assert said in refusal(tmp_path, toml=f"[oidc]\n{table}")


def test_the_secret_of_a_client_is_where_the_settings_say(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("in a file\n")
    by_variable = loaded(tmp_path, toml=f'[oidc]\n{OIDC}client_secret_env = "THE_SECRET"').oidc
    by_file = loaded(tmp_path, toml=f'[oidc]\n{OIDC}client_secret_file = "{tmp_path}/secret"').oidc
    assert by_variable is not None
    assert by_file is not None

    assert by_variable.secret({"THE_SECRET": "in the environment"}) == "in the environment"
    assert by_file.secret({}) == "in a file"
    with pytest.raises(Misconfigured, match="THE_SECRET, which is not set"):
        by_variable.secret({})
