/** The server, as tests of the page need it: what it is asked is written down, and what it answers is said. */

import { vi } from "vitest";

export interface Asked {
  /** Method and path: `POST /api/v1/chats`. */
  what: string;
  query: URLSearchParams;
  body: unknown;
}

type Answer = Response | Promise<Response>;

const answers: ((asked: Asked) => Answer)[] = [];

/** Before any module takes it: without a server, whatever is asked for fails. */
vi.stubGlobal("fetch", async (...given: Parameters<typeof fetch>): Promise<Response> => {
  const request = new Request(...given);
  const { pathname, searchParams: query } = new URL(request.url);
  const text = await request.text();
  const asked: Asked = { what: `${request.method} ${pathname}`, query, body: text && JSON.parse(text) };
  const answer = answers.at(-1);
  if (answer === undefined) throw new Error(`the test asked a server that is not there: ${asked.what}`);
  return answer(asked);
});

/** Everything that is asked from now on, answered by this. */
export function server(answer: (asked: Asked) => Answer = () => json({})): Asked[] {
  const asked: Asked[] = [];
  answers.push((each) => {
    asked.push(each);
    return answer(each);
  });
  return asked;
}

export const json = (body: unknown, status = 200): Response => Response.json(body, { status });

export const refusal = (status: number, message: string): Response =>
  json({ error: { code: "not_allowed", message } }, status);
