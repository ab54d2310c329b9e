import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./errors";

const RETRIES_MAX = 2;
const FRESH_MS = 10_000;

/** What the server owns, as this browser last saw it. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      // What the server refused it will refuse again; only a lost connection or a passing failure is worth a try.
      retry: (failures, error) => failures < RETRIES_MAX && isPassing(error),
    },
    mutations: { retry: false },
  },
});

const PASSING = new Set([0, 502, 503, 504]);

function isPassing(error: unknown): boolean {
  return error instanceof ApiError && PASSING.has(error.status);
}
