import { useQuery } from "@tanstack/react-query";

import { answer, api } from "@/api/client";
import { fieldsOf, textOf } from "@/lib/json";
import type { ShownCall } from "@/live/rows/call";
import { useSurroundings } from "../actions";

type Plan =
  | { state: "loading" }
  | { state: "failed"; why: string }
  | { state: "here"; text: string; diff: string };

/** A plan that waits is told whole, and one that was written into the call is in it. Others are asked for. */
export function usePlan(chatId: string, call: ShownCall, version: number | null): Plan {
  const told = call.waiting?.plan;
  const written = textOf(fieldsOf(call.args).plan);
  const isMissing = told === undefined && written === "" && version !== null;
  const { isForGuests } = useSurroundings();
  const asked = useQuery({
    queryKey: ["plan", chatId, version],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/chats/{chat_id}/plans/{version}", {
          params: { path: { chat_id: chatId, version: String(version ?? 0) } },
          signal,
        }),
      ),
    enabled: isMissing && !isForGuests,
    // What was proposed never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (told) return { state: "here", text: told.text, diff: told.diff };
  if (isMissing && isForGuests) return { state: "failed", why: "It is not part of what this link shows." };
  if (!isMissing) return { state: "here", text: written, diff: "" };
  if (asked.data) return { state: "here", text: asked.data.text, diff: asked.data.diff };
  return asked.error ? { state: "failed", why: asked.error.message } : { state: "loading" };
}
