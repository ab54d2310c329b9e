/** What counts for all chats of the server, and for all chats of one user. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client";
import { ApiError } from "../errors";
import type { components } from "../types.gen";

type Schemas = components["schemas"];
export type ServerSettings = Schemas["SettingsView"];
export type OwnSettings = Schemas["UserSettingsView"];
export type Advisor = Schemas["AdvisorView"];
export type ChildModel = Schemas["ChildModel"];

const SERVER = ["settings", "server"];
const OWN = ["settings", "own"];
const ADVISOR = ["settings", "advisor"];
const NOT_FOUND = 404;

/** Null for users who are not administrators: to them the settings of the server do not exist. */
export const useServerSettings = () =>
  useQuery({
    queryKey: SERVER,
    queryFn: async ({ signal }): Promise<ServerSettings | null> => {
      try {
        return await answer(api.GET("/api/v1/settings", { signal }));
      } catch (error) {
        if (error instanceof ApiError && error.status === NOT_FOUND) return null;
        throw error;
      }
    },
  });

export const useOwnSettings = () =>
  useQuery({
    queryKey: OWN,
    queryFn: ({ signal }) => answer(api.GET("/api/v1/users/me/settings", { signal })),
  });

export const useAdvisor = () =>
  useQuery({
    queryKey: ADVISOR,
    queryFn: ({ signal }) => answer(api.GET("/api/v1/settings/advisor", { signal })),
  });

/** The answer to a change is the new state, so nothing is read again. */
function useSave<In, Out>(key: readonly string[], save: (body: In) => Promise<Out>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: save,
    onSuccess: (saved) => client.setQueryData(key, saved),
  });
}

export const usePatchServerSettings = () =>
  useSave(SERVER, (body: Schemas["PatchSettings"]) => answer(api.PATCH("/api/v1/settings", { body })));

export const usePatchOwnSettings = () =>
  useSave(OWN, (body: Schemas["PatchUserSettings"]) =>
    answer(api.PATCH("/api/v1/users/me/settings", { body })),
  );

export const usePutAdvisor = () =>
  useSave(ADVISOR, (body: Schemas["PutAdvisor"]) => answer(api.PUT("/api/v1/settings/advisor", { body })));
