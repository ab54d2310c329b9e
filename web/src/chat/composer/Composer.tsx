import { X } from "lucide-react";
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import type { Deeds } from "@/api/accounts/permits";
import { compact, editMessage, promoteQueued, usePrompts } from "@/api/chats/messages";
import { sentence } from "@/api/errors";
import type { Message } from "@/api/types";
import { useMedia } from "@/lib/browser/useMedia";
import { clearDraft, setDraft } from "@/lib/kept/draft";
import { detailsOf, messagesOf, queueOf, statusOf, useOfChat } from "@/live/useChat";
import { IconButton } from "@/ui/IconButton";
import { toast } from "@/ui/overlay/Toast";
import { useEditing } from "../editing";
import { type Outgoing, send } from "../send";
import { stop } from "../stop";
import { ComposerBox } from "./ComposerBox";
import { ContextRing } from "./ContextRing";
import type { Offer } from "./offers/menu";
import { useChoice } from "./setup/choice";
import { McpPicker } from "./setup/McpPicker";
import { useSetup } from "./setup/useSetup";
import { writtenIn } from "./written";

const ACTIVE = new Set(["running", "interrupting", "requires_action"]);

const PLACEHOLDERS: Record<string, string> = {
  running: "Send a message for the next turn",
  interrupting: "The agent is stopping",
  requires_action: "The agent waits for you above",
};
/** The key that leads up there, where there are keys. */
const WAY_UP = " (Shift+Tab)";

/** Where the user writes in a chat that exists. */
export function Composer({ chatId, deeds }: { chatId: string; deeds: Deeds }) {
  const status = useOfChat(chatId, statusOf);
  const details = useOfChat(chatId, detailsOf);
  const messages = useOfChat(chatId, messagesOf);
  const queue = useOfChat(chatId, queueOf);
  const { editing, setEditing } = useEditing();
  const [isSaving, setSaving] = useState(false);
  const [, navigate] = useLocation();
  const isTouch = useMedia("(pointer: coarse)");
  // What waits there may be for the owner alone to decide.
  const isForOwner = status === "requires_action" && !deeds.has("chat.approve");
  const placeholder = isForOwner
    ? "The agent waits for an answer above"
    : (PLACEHOLDERS[status ?? ""] ?? "Send a message") +
      (status === "requires_action" && !isTouch ? WAY_UP : "");
  const choice = useChoice(details?.last_model ?? null);
  const prompts = usePrompts(chatId).data ?? [];
  const setup = useSetup(chatId, status);
  // Who speaks in a chat of somebody else speaks with what its owner has set up.
  const maySetUp = deeds.has("chat.set_up");
  const isActive = status !== null && ACTIVE.has(status);
  const place = editing ? `edit.${chatId}` : chatId;

  useEffect(() => {
    if (editing) setDraft(`edit.${chatId}`, writtenIn(editing.message));
  }, [chatId, editing]);

  const attempt = (work: Promise<unknown>) =>
    void work.catch((error) => toast({ text: sentence(error), bad: true }));

  function leaveEditing(): boolean {
    if (!editing) return false;
    clearDraft(place);
    setEditing(null);
    return true;
  }

  async function saveEdit(message: Message, outgoing: Outgoing): Promise<void> {
    setSaving(true);
    try {
      await editMessage(chatId, message.id, {
        content: outgoing.content,
        model: outgoing.model,
        reasoning_effort: outgoing.effort,
      });
      setEditing(null);
    } catch (error) {
      toast({ text: sentence(error), bad: true });
      throw error;
    } finally {
      setSaving(false);
    }
  }

  const plan: Offer = {
    name: "plan",
    label: setup.isPlanning ? "Stop planning first" : "Plan first, change nothing",
    run: setup.togglePlanning,
  };
  const commands: Offer[] = [
    { name: "compact", label: "Sum up what was said, to make room", run: () => attempt(compact(chatId)) },
    ...(maySetUp ? [plan] : []),
    { name: "stop", label: "Stop the agent", run: () => attempt(stop(chatId)) },
    { name: "new", label: "Start a new chat", run: () => navigate("/new") },
    { name: "settings", label: "Open the settings", run: () => navigate("/settings") },
  ];
  return (
    <ComposerBox
      place={place}
      chatId={chatId}
      placeholder={placeholder}
      choice={choice}
      isActive={isActive && !editing}
      isBusy={isSaving}
      isPlanning={setup.isPlanning}
      onPlanning={maySetUp ? setup.togglePlanning : null}
      mcp={maySetUp && <McpPicker chosen={setup.mcpServers} onChoose={setup.chooseMcpServers} />}
      onSend={(outgoing) => {
        if (editing) return saveEdit(editing.message, outgoing);
        void send(chatId, outgoing);
      }}
      onStop={() => attempt(stop(chatId))}
      onEmptySend={() => {
        const first = queue[0];
        if (first) attempt(promoteQueued(chatId, first.id));
      }}
      onLeave={leaveEditing}
      prompts={editing ? [] : prompts.map((each) => each.text)}
      commands={commands}
      aside={<ContextRing chatId={chatId} messages={messages} />}
      notice={
        editing && (
          <div className="flex items-center gap-2 rounded-t-xl border-b border-line bg-warn-soft py-1 pr-1 pl-4 text-sm">
            <span className="flex-1">
              You edit an earlier message. What followed stays readable as another version.
            </span>
            <IconButton icon={X} label="Stop editing" size="small" onClick={leaveEditing} />
          </div>
        )
      }
      autoFocus
    />
  );
}
