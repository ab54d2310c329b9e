import { interrupt } from "@/api/chats/messages";
import { ApiError } from "@/api/errors";
import { storeOf } from "@/live/store";

const CONFLICT = 409;

/** Chats for which a stop is on its way to the server. */
const asked = new Set<string>();

/** Stops the agent. Asked for once more while it stops, there is nothing left to do. */
export async function stop(chatId: string): Promise<void> {
  if (asked.has(chatId) || storeOf(chatId).snapshot().view.status === "interrupting") return;
  asked.add(chatId);
  try {
    await interrupt(chatId);
  } catch (error) {
    // It has ended by itself meanwhile, or was stopped elsewhere: what was wanted is so.
    if (!(error instanceof ApiError && error.status === CONFLICT)) throw error;
  } finally {
    asked.delete(chatId);
  }
}
