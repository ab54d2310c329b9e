/** Rules for approvals that count for all chats of a user. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client";
import type { components } from "../types.gen";

type Schemas = components["schemas"];
export type Rule = Schemas["RuleView"];
export type NewRule = Schemas["AddRule"];
export type Verdict = Schemas["Verdict"];

const RULES = ["rules"];

export const useRules = () =>
  useQuery({ queryKey: RULES, queryFn: ({ signal }) => answer(api.GET("/api/v1/rules", { signal })) });

function useChange<In>(change: (wanted: In) => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    // Also after a failure: another tab may have changed the list.
    onSettled: () => client.invalidateQueries({ queryKey: RULES }),
  });
}

const rule = (id: string) => ({ params: { path: { rule_id: id } } });

export const useAddRule = () => useChange((body: NewRule) => answer(api.POST("/api/v1/rules", { body })));

export const useMoveRule = () =>
  useChange(({ id, position }: { id: string; position: number }) =>
    answer(api.PATCH("/api/v1/rules/{rule_id}", { ...rule(id), body: { position } })),
  );

export const useDeleteRule = () =>
  useChange((id: string) => answer(api.DELETE("/api/v1/rules/{rule_id}", rule(id))));
