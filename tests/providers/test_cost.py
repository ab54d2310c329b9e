"""What a call has cost, and when nobody can say."""

import pytest

from chatd.catalog.models.rows import ModelConfig, ModelId, Prices, Provider, ProviderId, ProviderType
from chatd.catalog.prices.price_book import CONTEXT_LIMIT, Rates, context_limit_of, known
from chatd.domain.message import Usage
from chatd.kit.clock import SystemClock
from chatd.providers.cost import COST_MICROS_MAX, TOKENS_MAX, cost
from chatd.providers.events import Finished, Stop
from chatd.providers.registry import pricing
from tests.traceability import proves

RATES = Rates(
    input=3_000_000,
    output=15_000_000,
    cache_read=300_000,
    cache_write=3_750_000,
    cache_write_1h=6_000_000,
    web_search=10_000,
)
DAY = "2026-11-15"


def priced(usage: Usage | None, rates: Rates | None = RATES) -> int | None:
    found = cost(usage, set_prices=None, billed_micros=None, book=rates)
    return found.micros if found else None


@proves("model-layer", 157)
def test_what_is_charged_for_each_kind_adds_up_to_the_whole() -> None:
    usage = Usage(
        input_tokens=7, output_tokens=11, cache_read_tokens=13, cache_creation_tokens=17, web_searches=2
    )

    found = cost(usage, set_prices=None, billed_micros=None, book=RATES)

    assert found is not None
    assert found.basis == {
        "input": {"count": 7, "rate": 3_000_000, "micros": 21},
        "cache_read": {"count": 13, "rate": 300_000, "micros": 3},
        "cache_write": {"count": 17, "rate": 3_750_000, "micros": 63},
        "output": {"count": 11, "rate": 15_000_000, "micros": 165},
        "web_search": {"count": 2, "rate": 10_000, "micros": 20_000},
    }
    assert found.micros == 21 + 3 + 63 + 165 + 20_000


@proves("model-layer", 158)
def test_unpriced_is_not_free_of_charge() -> None:
    usage = Usage(input_tokens=1000, output_tokens=1000)
    free = Prices(input=0, output=0)

    assert priced(usage, None) is None
    assert priced(None) is None
    given = cost(usage, set_prices=free, billed_micros=None, book=RATES)
    assert given is not None
    assert (given.micros, given.source) == (0, "settings")


@proves("model-layer", 159)
def test_reasoning_is_not_charged_twice_and_an_hour_in_the_cache_has_its_own_price() -> None:
    thinking = Usage(output_tokens=1000, reasoning_tokens=900)
    cached = Usage(cache_creation_tokens=3000, cache_creation_1h_tokens=1000)

    assert priced(thinking) == 15_000
    assert priced(cached) == 2000 * 3.75 + 1000 * 6


@pytest.mark.parametrize("count", [-1, TOKENS_MAX + 1, TOKENS_MAX])
def test_absurd_counts_have_no_price(count: int) -> None:
    assert priced(Usage(output_tokens=count)) is None


def test_the_settings_win_over_the_bill_and_the_bill_over_the_book() -> None:
    usage = Usage(input_tokens=1_000_000, output_tokens=1)
    prices = Prices(input=5, output=0)

    def source(*, settings: bool, bill: bool) -> tuple[int, str] | None:
        found = cost(
            usage, set_prices=prices if settings else None, billed_micros=77 if bill else None, book=RATES
        )
        return (found.micros, found.source) if found else None

    assert source(settings=True, bill=True) == (5, "settings")
    assert source(settings=False, bill=True) == (77, "provider")
    assert source(settings=False, bill=False) == (3_000_015, "price book")


def test_a_bill_that_cannot_be_true_is_no_bill() -> None:
    for billed in (-1, COST_MICROS_MAX + 1):
        assert cost(Usage(), set_prices=None, billed_micros=billed, book=None) is None


def test_what_is_cached_costs_as_much_as_the_input_where_no_price_says_otherwise() -> None:
    plain = Rates(input=1_000_000, output=0)

    assert (
        priced(Usage(cache_read_tokens=5, cache_creation_tokens=7, cache_creation_1h_tokens=3), plain) == 12
    )


@pytest.mark.parametrize(
    ("type_", "base_url", "model"),
    [
        (ProviderType.ANTHROPIC, None, "claude-sonnet-4-5-20250929"),
        (ProviderType.OPENAI, None, "gpt-5.2"),
        (ProviderType.AZURE, "https://acme.openai.azure.com/openai/v1", "gpt-4o"),
        (ProviderType.GOOGLE, None, "gemini-2.5-flash"),
        (ProviderType.BEDROCK, None, "us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
        (ProviderType.OPENROUTER, None, "anthropic/claude-sonnet-4.5"),
        (ProviderType.VERCEL, None, "anthropic/claude-sonnet-4.5"),
        (ProviderType.OPENAI_COMPATIBLE, "https://api.groq.com/openai/v1", "llama-3.3-70b-versatile"),
    ],
)
def test_the_book_knows_the_models_that_people_use(
    type_: ProviderType, base_url: str | None, model: str
) -> None:
    entry = known(type_, base_url, model)

    assert entry is not None
    assert entry.rates(day=DAY, prompt_tokens=1000).output > 0


@pytest.mark.parametrize(
    ("type_", "base_url"),
    [
        (ProviderType.OPENAI_COMPATIBLE, "http://127.0.0.1:9000/v1"),
        (ProviderType.OLLAMA, None),
        (ProviderType.ANTHROPIC, "https://gateway.example.org"),
    ],
)
def test_a_server_of_ones_own_has_no_public_price(type_: ProviderType, base_url: str | None) -> None:
    assert known(type_, base_url, "claude-sonnet-4-5") is None


def test_long_prompts_cost_more_where_the_provider_says_so() -> None:
    entry = known(ProviderType.ANTHROPIC, None, "claude-sonnet-4-5")
    assert entry is not None

    short, long = (entry.rates(day=DAY, prompt_tokens=tokens) for tokens in (200_000, 200_001))

    assert (short.input, long.input) == (3_000_000, 6_000_000)


def test_a_price_counts_from_its_day_on() -> None:
    entry = known(ProviderType.GOOGLE, None, "claude-opus-4-6")
    assert entry is not None

    before, after = (
        entry.rates(day=day, prompt_tokens=300_000).input for day in ("2026-03-12", "2026-03-13")
    )

    assert (before, after) == (10_000_000, 5_000_000)


def test_how_much_a_model_holds_is_looked_up_and_else_assumed() -> None:
    assert context_limit_of(ProviderType.ANTHROPIC, None, "claude-haiku-4-5") == 200_000
    assert context_limit_of(ProviderType.OLLAMA, None, "llama3") == CONTEXT_LIMIT


@pytest.mark.parametrize(
    ("asked", "answered_by", "micros"),
    [
        ("gpt-4o", "", 2_500_000),
        ("gpt-4o", "gpt-4o-2024-08-06", 2_500_000),
        # A deployment is called as its owner likes, and says itself what it is.
        ("our-assistant", "gpt-4o-2024-08-06", 2_500_000),
        ("gpt-4o", "gpt-4o-mini-2024-07-18", 150_000),
        ("gpt-4o", "something new", 2_500_000),
        ("our-assistant", "", None),
    ],
)
def test_the_price_is_that_of_the_model_that_answered(
    asked: str, answered_by: str, micros: int | None
) -> None:
    provider = Provider(id=ProviderId("p"), type=ProviderType.AZURE, name="azure")
    config = ModelConfig(id=ModelId("m"), provider_id=provider.id, model=asked, context_limit=128_000)
    finished = Finished(Stop.DONE, Usage(input_tokens=1_000_000))

    found = pricing(provider, config, SystemClock())(finished, answered_by=answered_by)

    assert (found.micros if found else None) == micros
