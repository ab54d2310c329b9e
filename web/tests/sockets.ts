/** The streams of the server, as tests of the page need them: a test opens, tells and loses them. */

import { vi } from "vitest";

export const sockets: FakeSocket[] = [];

export class FakeSocket {
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  readonly url: URL;
  readonly protocols: string | string[] | undefined;

  constructor(url: string, protocols?: string | string[]) {
    this.url = new URL(url);
    this.protocols = protocols;
    sockets.push(this);
  }

  tell(...events: object[]): void {
    this.onopen?.();
    this.onmessage?.({ data: JSON.stringify(events) });
  }

  close(code = 1006): void {
    this.onclose?.({ code });
  }
}

vi.stubGlobal("WebSocket", FakeSocket);

/** The newest one. */
export function lastSocket(): FakeSocket {
  const last = sockets.at(-1);
  if (last === undefined) throw new Error("the page has opened no stream");
  return last;
}
