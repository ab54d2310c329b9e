import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../client";

export const MODELS = ["models"] as const;

export function useModels() {
  return useQuery({
    queryKey: MODELS,
    queryFn: async ({ signal }) => (await answer(api.GET("/api/v1/models", { signal }))).models,
  });
}

export function useSkills() {
  return useQuery({
    queryKey: ["skills"],
    queryFn: async ({ signal }) => (await answer(api.GET("/api/v1/users/me/skills", { signal }))).skills,
  });
}
