/** Ways in for one user: tokens for programs, and browsers that are signed in. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client";
import type { components } from "../types.gen";

type Schemas = components["schemas"];
export type Token = Schemas["TokenView"];
export type NewToken = Schemas["NewTokenView"];
/** A token that is to be made. */
export type WantedToken = Schemas["CreateToken"];
export type SignIn = Schemas["SignInView"];

const ACCESS = ["access"];

export const useTokens = () =>
  useQuery({
    queryKey: [...ACCESS, "tokens"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/users/me/tokens", { signal })),
  });

export const useSignIns = () =>
  useQuery({
    queryKey: [...ACCESS, "sign-ins"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/users/me/sign-ins", { signal })),
  });

/** Revoking a token may end sign-ins, so both are read anew. */
function useChange<In, Out>(change: (wanted: In) => Promise<Out>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => client.invalidateQueries({ queryKey: ACCESS }),
  });
}

export const useAddToken = () =>
  useChange((body: WantedToken) => answer(api.POST("/api/v1/users/me/tokens", { body })));

export const useRevokeToken = () =>
  useChange((id: string) =>
    answer(api.DELETE("/api/v1/users/me/tokens/{token_id}", { params: { path: { token_id: id } } })),
  );

export const useEndSignIn = () =>
  useChange((id: string) =>
    answer(api.DELETE("/api/v1/users/me/sign-ins/{sign_in_id}", { params: { path: { sign_in_id: id } } })),
  );
