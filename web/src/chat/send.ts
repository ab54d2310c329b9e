import { sendMessage } from "@/api/chats/messages";
import { ApiError, sentence } from "@/api/errors";
import { queries } from "@/api/queries";
import type { Effort, Part, When } from "@/api/types";
import type { components } from "@/api/types.gen";
import type { Sending } from "@/live/outbox";
import { storeOf } from "@/live/store";

type Body = components["schemas"]["SendMessage"];

export interface Outgoing {
  content: Body["content"];
  when: When;
  model: string | null;
  effort: Effort | null;
  mode?: "plan" | null;
}

/** What a message is sent with, by its key: for when it has to be sent again. */
const bodies = new Map<string, Body>();

/** Shows the message at once, and sends it. What fails stays on screen, with a way to try again. */
export async function send(chatId: string, outgoing: Outgoing): Promise<void> {
  const key = crypto.randomUUID();
  const body: Body = {
    content: outgoing.content,
    when: outgoing.when,
    key,
    ...(outgoing.model && { model: outgoing.model }),
    ...(outgoing.effort && { reasoning_effort: outgoing.effort }),
    ...(outgoing.mode !== undefined && { mode: outgoing.mode }),
  };
  bodies.set(key, body);
  const sending: Sending = {
    key,
    content: outgoing.content as Part[],
    when: outgoing.when,
    at: new Date().toISOString(),
    failed: null,
  };
  storeOf(chatId).setSending((all) => [...all, sending]);
  await deliver(chatId, key);
}

/** The same key: should the first try have arrived after all, it is not said twice. */
export async function resend(chatId: string, { key }: Sending): Promise<void> {
  storeOf(chatId).setSending((all) =>
    all.map((each) => (each.key === key ? { ...each, failed: null } : each)),
  );
  await deliver(chatId, key);
}

async function deliver(chatId: string, key: string): Promise<void> {
  const body = bodies.get(key);
  if (body === undefined) return;
  try {
    await sendMessage(chatId, body);
    bodies.delete(key);
    void queries.invalidateQueries({ queryKey: ["prompts", chatId] });
  } catch (error) {
    const failed = error instanceof ApiError ? sentence(error) : String(error);
    storeOf(chatId).setSending((all) => all.map((each) => (each.key === key ? { ...each, failed } : each)));
  }
}
