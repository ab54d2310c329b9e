/** Personal skills. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client";
import type { components } from "../types.gen";

export type Skill = components["schemas"]["SkillView"];

/** What else lists skills begins with it, too, and is read anew after a change. */
const SKILLS = ["skills"];
const named = (name: string) => ({ params: { path: { name } } });

export const useSkillList = () =>
  useQuery({
    queryKey: [...SKILLS, "list"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/users/me/skills", { signal })),
  });

/** With its content; null: none is asked for. */
export const useSkill = (name: string | null) =>
  useQuery({
    queryKey: [...SKILLS, "one", name],
    enabled: name !== null,
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/users/me/skills/{name}", { ...named(name ?? ""), signal })),
  });

function useChange<In>(change: (wanted: In) => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => client.invalidateQueries({ queryKey: SKILLS }),
  });
}

/** `name`: of the skill that is replaced; null: it is a new one. */
export const useSaveSkill = () =>
  useChange(({ name, content }: { name: string | null; content: string }) =>
    name === null
      ? answer(api.POST("/api/v1/users/me/skills", { body: { content } }))
      : answer(api.PATCH("/api/v1/users/me/skills/{name}", { ...named(name), body: { content } })),
  );

export const useDeleteSkill = () =>
  useChange((name: string) => answer(api.DELETE("/api/v1/users/me/skills/{name}", named(name))));
