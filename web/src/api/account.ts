import { useQuery } from "@tanstack/react-query";
import { ROOT } from "@/lib/base";
import { onSignedOut } from "./client";
import { errorOf, UNREACHABLE } from "./errors";
import { queries } from "./queries";

/** Who is signed in. */
export interface Account {
  id: string;
  name: string;
  role: string;
}

const ME = ["me"] as const;

/** Null: this browser is not signed in. */
export function useAccount() {
  return useQuery({ queryKey: ME, queryFn: () => whoAmI(), staleTime: Number.POSITIVE_INFINITY });
}

async function whoAmI(): Promise<Account | null> {
  const response = await ask("GET", "users/me");
  if (response.status === 401) return null;
  if (!response.ok) throw await errorOf(response);
  return (await response.json()) as Account;
}

/** With the code of a one-time link, or with a token. The answer sets a cookie that scripts cannot read. */
export async function signIn(secret: { code: string } | { token: string }): Promise<void> {
  const response = await ask("POST", "auth/exchange", secret);
  if (!response.ok) throw await errorOf(response);
  queries.setQueryData(ME, await response.json());
}

export async function signOut(): Promise<void> {
  const response = await ask("POST", "auth/sign-out", {});
  if (!response.ok) throw await errorOf(response);
  forgetAll();
}

/** What belonged to the one who was signed in is not shown to the next. */
function forgetAll(): void {
  queries.clear();
  queries.setQueryData(ME, null);
}

onSignedOut(forgetAll);

async function ask(method: string, path: string, body?: unknown): Promise<Response> {
  try {
    return await fetch(new URL(`api/v1/${path}`, ROOT), {
      method,
      ...(body !== undefined && {
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
  } catch {
    throw UNREACHABLE;
  }
}
