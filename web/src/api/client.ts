import createClient, { type Middleware } from "openapi-fetch";
import { ROOT } from "@/lib/browser/base";
import { ApiError, errorOf, UNREACHABLE } from "./errors";
import type { paths } from "./types.gen";

const UNAUTHORIZED = 401;

const failures: Middleware = {
  async onResponse({ response }) {
    if (response.ok) return undefined;
    const error = await errorOf(response);
    if (error.status === UNAUTHORIZED) tellSignedOut();
    throw error;
  },
  onError({ error }) {
    return error instanceof ApiError || isAbort(error) ? undefined : UNREACHABLE;
  },
};

/** Every route of the server, typed. What is no success is thrown as an ApiError. */
export const api = createClient<paths>({ baseUrl: ROOT.href.replace(/\/$/, "") });
api.use(failures);

/** The answer itself: `await answer(api.GET("/api/v1/chats"))`. */
export async function answer<T>(asked: Promise<{ data?: T }>): Promise<T> {
  const { data } = await asked;
  return data as T;
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

const listeners = new Set<() => void>();

/** Called when an answer said that this browser is not signed in, or no longer. */
export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function tellSignedOut(): void {
  for (const listener of listeners) listener();
}
