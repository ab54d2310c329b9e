"""Providers and their models."""

from typing import Any

from chatd.client.answers import Model, ModelList, Probe, Provider, ProviderList, Unreadable
from chatd.client.asynchronous.calls import Calls, path_in
from chatd.client.transport import PROBE_SECONDS

PROVIDERS = "/api/v1/providers"
MODELS = "/api/v1/models"


class ModelCalls(Calls):
    async def providers(self) -> tuple[Provider, ...]:
        return (await self._http.ask("GET", PROVIDERS, ProviderList)).providers

    async def unreadable_providers(self) -> tuple[Unreadable, ...]:
        """Providers that a newer server has stored, or that are damaged; for administrators."""
        return (await self._http.ask("GET", PROVIDERS, ProviderList)).unreadable

    async def add_provider(self, type: str, name: str, **fields: Any) -> Provider:
        """The fields are those of the API, such as `api_key`, `base_url` and `settings`."""
        return await self._http.ask("POST", PROVIDERS, Provider, body={"type": type, "name": name, **fields})

    async def change_provider(self, provider_id: str, **fields: Any) -> Provider:
        return await self._http.ask("PATCH", path_in(PROVIDERS, provider_id), Provider, body=fields)

    async def delete_provider(self, provider_id: str) -> None:
        await self._http.ask_bytes("DELETE", path_in(PROVIDERS, provider_id))

    async def models(self) -> tuple[Model, ...]:
        return (await self._http.ask("GET", MODELS, ModelList)).models

    async def unreadable_models(self) -> tuple[Unreadable, ...]:
        """Models that a newer server has stored, that are damaged, or whose provider is unreadable."""
        return (await self._http.ask("GET", MODELS, ModelList)).unreadable

    async def add_model(
        self, provider_id: str, model: str, *, context_limit: int | None = None, **fields: Any
    ) -> Model:
        body = {"provider_id": provider_id, "model": model, "context_limit": context_limit, **fields}
        return await self._http.ask("POST", MODELS, Model, body=body)

    async def change_model(self, model_id: str, **fields: Any) -> Model:
        return await self._http.ask("PATCH", path_in(MODELS, model_id), Model, body=fields)

    async def delete_model(self, model_id: str) -> None:
        await self._http.ask_bytes("DELETE", path_in(MODELS, model_id))

    async def test_model(self, model_id: str) -> Probe:
        """One tiny call through the server."""
        path = f"{path_in(MODELS, model_id)}/test"
        return await self._http.ask("POST", path, Probe, seconds=PROBE_SECONDS)
