import { useQuery } from "@tanstack/react-query";
import { answer, api, onSignedOut } from "../client";
import { ApiError } from "../errors";
import { queries } from "../queries";
import type { components } from "../types.gen";

type Schemas = components["schemas"];
export type Account = Schemas["OwnAccount"];
export type Identity = Schemas["IdentityView"];

const ME = ["me"] as const;
const METHODS = ["methods"] as const;
/** What is the same for everybody, signed in or not. */
const KEPT: readonly unknown[] = [ME[0], METHODS[0]];
const UNAUTHORIZED = 401;

/** Null: this browser is not signed in. */
export function useAccount() {
  return useQuery({ queryKey: ME, queryFn: whoAmI, staleTime: Number.POSITIVE_INFINITY });
}

async function whoAmI(): Promise<Account | null> {
  try {
    return await answer(api.GET("/api/v1/users/me"));
  } catch (error) {
    if (error instanceof ApiError && error.status === UNAUTHORIZED) return null;
    throw error;
  }
}

/** With the code of a one-time link, or with a token. The answer sets a cookie that scripts cannot read. */
export async function signIn(secret: { code: string } | { token: string }): Promise<void> {
  queries.setQueryData(ME, await answer(api.POST("/api/v1/auth/exchange", { body: secret })));
}

export async function signInWithPassword(name: string, password: string): Promise<void> {
  queries.setQueryData(ME, await answer(api.POST("/api/v1/auth/password", { body: { name, password } })));
}

/** One's display name, or one's password. */
export async function changeAccount(body: Schemas["PatchOwnAccount"]): Promise<void> {
  await answer(api.PATCH("/api/v1/users/me", { body }));
  await queries.invalidateQueries({ queryKey: ME });
}

/** As whom one is known at the identity provider. */
export function useIdentities() {
  return useQuery({
    queryKey: ["identities"],
    queryFn: async ({ signal }) =>
      (await answer(api.GET("/api/v1/users/me/identities", { signal }))).identities,
  });
}

/** Where the browser has to go to be known there. */
export async function joinIdentity(): Promise<string> {
  return (await answer(api.POST("/api/v1/users/me/identities"))).url;
}

/** How people can sign in here. */
export function useMethods() {
  return useQuery({
    queryKey: METHODS,
    queryFn: ({ signal }) => answer(api.GET("/api/v1/auth/methods", { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export async function signOut(): Promise<void> {
  await api.POST("/api/v1/auth/sign-out", { body: {} });
  forgetAll();
}

/** What belonged to the one who was signed in is not shown to the next. */
function forgetAll(): void {
  queries.removeQueries({ predicate: (query) => !KEPT.includes(query.queryKey[0]) });
  queries.setQueryData(ME, null);
}

onSignedOut(forgetAll);
