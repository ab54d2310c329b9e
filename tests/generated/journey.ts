/** The journey with types that openapi-typescript made. It prints what it has seen. */

import createClient from "openapi-fetch";
import type { components, paths } from "./types.js";

type Schemas = components["schemas"];
type ViewerEvent = Schemas["ViewerEvent"];

const [address = "", token = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: address, headers: { Authorization: `Bearer ${token}` } });

interface Answer<T> {
  data?: T;
  error?: Schemas["ErrorBody"];
}

function done<T>({ data, error }: Answer<T>): T {
  if (data === undefined) throw new Error(error?.error.message ?? "nothing came");
  return data;
}

/** Server-Sent Events, of which the data is all that we need. */
async function* stream(chat_id: string): AsyncGenerator<ViewerEvent> {
  const path = "/api/v1/chats/{chat_id}/stream";
  const { data, error } = await client.GET(path, { params: { path: { chat_id } }, parseAs: "stream" });
  if (!data) throw new Error(error?.error.message);
  let waiting = "";
  for await (const chunk of data.pipeThrough(new TextDecoderStream())) {
    const blocks = (waiting + chunk).split("\n\n");
    waiting = blocks.pop() ?? "";
    for (const block of blocks) {
      const line = block.split("\n").find((each) => each.startsWith("data: "));
      if (line) yield JSON.parse(line.slice("data: ".length)) as ViewerEvent;
    }
  }
}

async function until<T>(chat_id: string, seen: (event: ViewerEvent) => T | undefined): Promise<T> {
  for await (const event of stream(chat_id)) {
    const found = seen(event);
    if (found !== undefined) return found;
  }
  throw new Error("the stream has ended");
}

const atRest = (event: ViewerEvent) => (event.type === "status" && event.status === "waiting" ? true : undefined);

function wordsOf(message: Schemas["MessageView"]): string[] {
  return message.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

async function said(chat_id: string): Promise<string[]> {
  const path = "/api/v1/chats/{chat_id}/messages";
  const { messages } = done(await client.GET(path, { params: { path: { chat_id }, query: { after_id: 0 } } }));
  return messages.filter(({ role }) => role === "assistant").flatMap(wordsOf);
}

const text = (words: string): Schemas["TextInput"] => ({ type: "text", text: words });

const weather = { name: "weather", input_schema: { type: "object" } };
const script = 'call weather {"place": "Graz"}\nnext\nsay Warm.';
const chat = done(await client.POST("/api/v1/chats", { body: { content: [text(script)], client_tools: [weather] } }));
const chat_id = chat.id;

const call = await until(chat_id, (event) => (event.type === "waiting_for" ? event.waiting_for[0] : undefined));
const results = [{ tool_call_id: call.tool_call_id, output: { celsius: 21 } }];
done(await client.POST("/api/v1/chats/{chat_id}/actions", { params: { path: { chat_id } }, body: { results } }));
await until(chat_id, atRest);

const file = done(
  await client.POST("/api/v1/files", {
    body: { file: "hello" },
    bodySerializer: () => {
      const form = new FormData();
      form.append("file", new File(["hello"], "notes.txt", { type: "text/plain" }));
      return form;
    },
  }),
);
const sent = done(
  await client.POST("/api/v1/chats/{chat_id}/messages", {
    params: { path: { chat_id } },
    body: { content: [text("say I have read it."), { type: "file", file_id: file.id }], when: "queue" },
  }),
);
await until(chat_id, atRest);
const replies = await said(chat_id);

for (const title of ["two", "three"]) {
  done(await client.POST("/api/v1/chats", { body: { content: [text("say Hello.")], title } }));
}
let page = done(await client.GET("/api/v1/chats", { params: { query: { limit: 2 } } }));
const pages = [page.chats.length];
while (page.next !== undefined) {
  page = done(await client.GET("/api/v1/chats", { params: { query: { limit: 2, cursor: page.next } } }));
  pages.push(page.chats.length);
}

const missing = await client.GET("/api/v1/chats/{chat_id}", { params: { path: { chat_id: "nothing" } } });
const empty = await client.POST("/api/v1/chats", { body: { content: [] } });

const removed = await client.DELETE("/api/v1/chats/{chat_id}", { params: { path: { chat_id } } });
const afterwards = await client.GET("/api/v1/chats/{chat_id}", { params: { path: { chat_id } } });

console.log(
  JSON.stringify({
    waited_for: [call.kind, call.tool_name, call.args],
    queued: sent.queued,
    file: [file.name, file.media_type, file.size_bytes],
    said: replies,
    pages,
    missing: [missing.response.status, missing.error?.error.code],
    empty: [empty.response.status, empty.error?.error.field],
    removed: [removed.response.status, afterwards.response.status],
  }),
);
