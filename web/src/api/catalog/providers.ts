/** Providers and models: what administrators set up, and everyone chooses from. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client";
import type { components } from "../types.gen";

type Schemas = components["schemas"];
export type Provider = Schemas["ProviderView"];
export type ProviderType = Schemas["ProviderType"];
export type ProviderSettings = Schemas["ProviderSettings"];
export type NewProvider = Schemas["CreateProvider"];
export type ModelView = Schemas["ModelView"];
export type NewModel = Schemas["CreateModel"];
export type ProbeResult = Schemas["ProbeResult"];
export type KnownModel = Schemas["KnownModel"];

const PROVIDERS = ["providers"];
const MODELS = ["models"];
const KEYS = ["provider-keys"];
/** What a change of a provider or a model may make stale. Choices of models in other places begin with MODELS, too. */
const CATALOG = [PROVIDERS, MODELS, KEYS];

export const useProviders = () =>
  useQuery({
    queryKey: [...PROVIDERS, "list"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/providers", { signal })),
  });

export const useModelList = () =>
  useQuery({
    queryKey: [...MODELS, "list"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/models", { signal })),
  });

export const useOwnKeys = () =>
  useQuery({
    queryKey: KEYS,
    queryFn: ({ signal }) => answer(api.GET("/api/v1/users/me/provider-keys", { signal })),
  });

/** What is publicly known of the models of a provider. */
export const useKnownModels = (providerId: string | null) =>
  useQuery({
    queryKey: [...PROVIDERS, "known", providerId],
    enabled: providerId !== null,
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/providers/{provider_id}/known-models", {
          params: { path: { provider_id: providerId ?? "" } },
          signal,
        }),
      ),
  });

/** A change after which everything of the catalog is read anew. */
function useChange<In, Out>(change: (wanted: In) => Promise<Out>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => Promise.all(CATALOG.map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}

const provider = (id: string) => ({ params: { path: { provider_id: id } } });
const model = (id: string) => ({ params: { path: { model_id: id } } });

export const useAddProvider = () =>
  useChange((body: NewProvider) => answer(api.POST("/api/v1/providers", { body })));

export const usePatchProvider = () =>
  useChange(({ id, ...body }: { id: string } & Schemas["PatchProvider"]) =>
    answer(api.PATCH("/api/v1/providers/{provider_id}", { ...provider(id), body })),
  );

export const useDeleteProvider = () =>
  useChange((id: string) => answer(api.DELETE("/api/v1/providers/{provider_id}", provider(id))));

export const useAddModel = () => useChange((body: NewModel) => answer(api.POST("/api/v1/models", { body })));

export const usePatchModel = () =>
  useChange(({ id, ...body }: { id: string } & Schemas["PatchModel"]) =>
    answer(api.PATCH("/api/v1/models/{model_id}", { ...model(id), body })),
  );

export const useDeleteModel = () =>
  useChange((id: string) => answer(api.DELETE("/api/v1/models/{model_id}", model(id))));

/** One tiny call. That it fails is an answer, too. */
export const useTestModel = () =>
  useMutation({
    mutationFn: (id: string) => answer(api.POST("/api/v1/models/{model_id}/test", model(id))),
  });

export const usePutOwnKey = () =>
  useChange(({ provider, api_key }: { provider: string; api_key: string }) =>
    answer(
      api.PUT("/api/v1/users/me/provider-keys/{provider}", {
        params: { path: { provider } },
        body: { api_key },
      }),
    ),
  );

export const useDeleteOwnKey = () =>
  useChange((provider: string) =>
    answer(api.DELETE("/api/v1/users/me/provider-keys/{provider}", { params: { path: { provider } } })),
  );
