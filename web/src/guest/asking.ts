/** What a guest asks of the server: with the code of their link, and without anything that a browser adds. */

import { ApiError, errorOf, UNREACHABLE } from "@/api/errors";
import type { components } from "@/api/types.gen";
import { ROOT } from "@/lib/browser/base";

type Schemas = components["schemas"];
export type GuestChat = Schemas["GuestChat"];
export type GuestMessage = Schemas["GuestMessage"];
export type GuestPage = Schemas["GuestMessagePage"];

const NOT_FOUND = 404;

/** However a link has ended, and if there never was one. */
export const isGone = (error: unknown): boolean => error instanceof ApiError && error.status === NOT_FOUND;

/** The code is behind the #, which no server and no log on the way sees. */
export function codeIn(hash: string): string {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return "";
  }
}

export class Asking {
  readonly code: string;

  constructor(code: string) {
    this.code = code;
  }

  chat(): Promise<GuestChat> {
    return this.json("chat");
  }

  messages(before: string | null): Promise<GuestPage> {
    return this.json(before === null ? "messages" : `messages?before=${encodeURIComponent(before)}`);
  }

  readonly file = async (fileId: string): Promise<Blob> =>
    (await this.ask(`files/${encodeURIComponent(fileId)}`)).blob();

  private async json<T>(path: string): Promise<T> {
    return (await this.ask(path)).json() as Promise<T>;
  }

  private async ask(path: string): Promise<Response> {
    const response = await fetch(new URL(`api/v1/public/${path}`, ROOT), {
      headers: { Authorization: `Guest ${this.code}` },
      credentials: "omit",
      cache: "no-store",
      referrerPolicy: "no-referrer",
    }).catch(() => {
      throw UNREACHABLE;
    });
    if (!response.ok) throw await errorOf(response);
    return response;
  }
}
