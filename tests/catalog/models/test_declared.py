"""What is there without a database: declared in a file, found in the environment, and `scripted`."""

from pathlib import Path

import pytest

from chatd.catalog.keys.keys import OwnKey
from chatd.catalog.models.availability import why_unavailable
from chatd.catalog.models.declared import ModelDeclaration, ProviderDeclaration, declare, notice_of
from chatd.catalog.models.inventory import Inventory, Stored
from chatd.catalog.models.options import AnthropicOptions, CallOptions
from chatd.catalog.models.rows import ModelConfig, Provider, ProviderSettings, ProviderType
from chatd.errors import Misconfigured

LOCAL = ProviderDeclaration(
    name="local",
    type=ProviderType.OPENAI_COMPATIBLE,
    base_url="http://127.0.0.1:9000/v1",
    api_key_env="LOCAL_KEY",
)
SOME = ModelDeclaration(provider="local", model="some-model", context_limit=128_000, default=True)

CLAUDE = CallOptions(anthropic=AnthropicOptions())


def names(inventory: Inventory) -> list[str]:
    return [inventory.name_of(each) for each in inventory.models]


def test_without_anything_there_is_the_scripted_model() -> None:
    inventory = Inventory(declare(), Stored())

    assert names(inventory) == ["scripted/scripted"]
    assert inventory.default is not None
    assert (inventory.default.display_name, inventory.default.declared) == ("Scripted (not an AI)", True)


def test_the_example_of_the_design() -> None:
    declared = declare([LOCAL], [SOME], {"LOCAL_KEY": " secret "})
    inventory = Inventory(declared, Stored())

    assert names(inventory) == ["local/some-model", "scripted/scripted"]
    assert inventory.default is not None
    assert inventory.name_of(inventory.default) == "local/some-model"
    assert inventory.default_is_fixed
    assert declared.keys[declared.providers[0].id].read() == "secret"


@pytest.mark.parametrize(
    ("variable", "provider"),
    [("ANTHROPIC_API_KEY", "anthropic"), ("OPENAI_API_KEY", "openai"), ("GEMINI_API_KEY", "google")],
)
def test_a_key_in_the_environment_gives_a_provider_and_its_usual_models(variable: str, provider: str) -> None:
    declared = declare(environment={variable: "k"})
    inventory = Inventory(declared, Stored())

    assert [each.name for each in inventory.providers] == [provider, "scripted"]
    assert inventory.default is not None
    assert inventory.name_of(inventory.default).startswith(f"{provider}/")
    assert declared.keys[inventory.providers[0].id].read() == "k"


def test_what_is_declared_is_all_there_is_but_for_providers_that_it_names() -> None:
    keys = {"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o"}
    model = ModelDeclaration(provider="anthropic", model="claude-x")

    assert names(Inventory(declare([LOCAL], [SOME], keys), Stored())) == [
        "local/some-model",
        "scripted/scripted",
    ]
    assert names(Inventory(declare(models=[model], environment=keys), Stored())) == [
        "anthropic/claude-x",
        "scripted/scripted",
    ]


def test_a_stored_provider_counts_instead_of_one_that_a_variable_happens_to_give() -> None:
    stored = Stored(
        providers=(Provider(id="mine", type=ProviderType.ANTHROPIC, name="anthropic"),),
        models=(ModelConfig(id="m", provider_id="mine", model="m", context_limit=1),),
    )
    found = declare(environment={"ANTHROPIC_API_KEY": "a"})
    written = declare([ProviderDeclaration(name="anthropic", type=ProviderType.ANTHROPIC, api_key="a")])

    assert names(Inventory(found, stored)) == ["scripted/scripted", "anthropic/m"]
    assert "anthropic/m" not in names(Inventory(written, stored))


def test_a_model_of_ollama_that_is_declared_stays_while_ollama_does_not_answer() -> None:
    model = ModelDeclaration(provider="ollama", model="llama")
    up, down = (declare(models=[model], ollama=found) for found in (["llama", "other"], []))

    assert names(Inventory(down, Stored())) == ["ollama/llama", "scripted/scripted"]
    assert (up.providers, up.models) == (down.providers, down.models)


def test_a_certificate_and_a_password_of_a_proxy_are_for_the_operator_to_declare() -> None:
    settings = ProviderSettings(ca_file="/etc/ssl/acme.pem", proxy="http://me:secret@proxy.example")
    local = ProviderDeclaration(name="a", type=ProviderType.ANTHROPIC, api_key="k", settings=settings)

    assert declare([local]).providers[0].settings == settings


def test_ids_are_the_same_on_every_server_and_follow_the_address() -> None:
    moved = ProviderDeclaration(name="local", type=LOCAL.type, base_url="http://127.0.0.1:1/v1")

    assert declare([LOCAL], [SOME]).providers[0].id == declare([LOCAL]).providers[0].id
    assert declare([moved]).providers[0].id != declare([LOCAL]).providers[0].id


def test_a_key_file_is_read_anew(tmp_path: Path) -> None:
    file = tmp_path / "key"
    provider = ProviderDeclaration(name="a", type=ProviderType.ANTHROPIC, api_key_file=str(file))
    declared = declare([provider])
    source = declared.keys[declared.providers[0].id]

    assert source.read() is None
    file.write_text("first\n")
    assert source.read() == "first"
    file.write_text("second\n")
    assert source.read() == "second"


def test_the_scripted_model_can_be_switched_off() -> None:
    off = ProviderDeclaration(name="scripted", type=ProviderType.SCRIPTED, enabled=False)

    assert Inventory(declare([off]), Stored()).default is None


def test_a_key_is_not_in_what_is_printed() -> None:
    declaration = ProviderDeclaration(name="a", type=ProviderType.ANTHROPIC, api_key="sk-very-secret")

    assert "sk-very-secret" not in repr([declaration, declare([declaration])])


@pytest.mark.parametrize(
    ("providers", "models", "said"),
    [
        ([LOCAL, LOCAL], [], "same name"),
        ([], [SOME], "'local', which is not declared"),
        ([LOCAL], [SOME, SOME], "More than one|same provider and model"),
        ([LOCAL], [ModelDeclaration(provider="local", model="m", enabled=False, default=True)], "enabled"),
        ([ProviderDeclaration(name="A b", type=ProviderType.OLLAMA)], [], "lower-case"),
        ([ProviderDeclaration(name="a", type=ProviderType.OPENAI_COMPATIBLE)], [], "needs its base_url"),
        ([ProviderDeclaration(name="a", type=ProviderType.OLLAMA, api_key="a", api_key_env="B")], [], "one"),
        ([LOCAL], [ModelDeclaration(provider="local", model="m", options=CLAUDE)], "openai-compatible"),
    ],
)  # fmt: skip
def test_a_wrong_declaration_is_told(
    providers: list[ProviderDeclaration], models: list[ModelDeclaration], said: str
) -> None:
    with pytest.raises(Misconfigured, match=said):
        declare(providers, models)


def test_a_declared_address_without_a_scheme_is_completed() -> None:
    bare, whole = (
        ProviderDeclaration(name="local", type=ProviderType.OLLAMA, base_url=address)
        for address in ("localhost:11434/v1", "http://localhost:11434/v1")
    )

    (provider, _), (same, _) = declare([bare]).providers, declare([whole]).providers

    # The same provider, so that what it wrote still goes back to it.
    assert provider == same
    assert provider.base_url == "http://localhost:11434/v1"


def test_an_address_without_tls_is_told_and_other_providers_are_kept() -> None:
    plain = ProviderDeclaration(
        name="plain", type=ProviderType.ANTHROPIC, base_url="http://acme.example", api_key="k"
    )
    declared = declare([LOCAL, plain], [SOME, ModelDeclaration(provider="plain", model="m")])
    local, refused, _ = declared.providers

    assert notice_of(local) is None
    assert notice_of(refused) == (
        "The [[providers]] table 'plain': This provider cannot be called. Its address is not in a private "
        "network and has no TLS. Use https, or set allow_plain_http for this provider if you know what is in "
        "between."
    )
    model = next(each for each in declared.models if each.provider_id == refused.id)
    key = OwnKey(provider=refused, has_user_key=False, has_provider_key=True)
    assert why_unavailable(model, refused, key) == "address_refused"
