import { type ReactNode, Suspense, useEffect, useState } from "react";
import { Link } from "wouter";
import { useMayStart } from "@/api/accounts/permits";
import { useChatDetails } from "@/api/chats/chats";
import { type ApiError, sentence } from "@/api/errors";
import { useShortcut } from "@/lib/browser/shortcuts";
import { useMedia } from "@/lib/browser/useMedia";
import { classes } from "@/lib/classes";
import { onInspect } from "@/lib/inspected";
import { useKept } from "@/lib/kept/useKept";
import { storeOf } from "@/live/store";
import { detailsOf, isGone, messagesOf, refusedOf, statusOf, useOfChat } from "@/live/useChat";
import { useDeeds } from "@/live/useDeeds";
import { useReadOnly } from "@/live/useReadOnly";
import { Button } from "@/ui/Button";
import { Boundary } from "@/ui/boundary/Boundary";
import type { MenuItem } from "@/ui/overlay/Menu";
import { Resizer } from "@/ui/Resizer";
import { Spinner } from "@/ui/Spinner";
import { Composer } from "./composer/Composer";
import { type Editing, EditingContext } from "./editing";
import { Banners } from "./notices/Banners";
import { QueueList } from "./queue/QueueList";
import { TopBar } from "./TopBar";
import { Transcript } from "./transcript/Transcript";
import { useMarkRead } from "./useMarkRead";

const PANEL = { least: 320, usual: 440, most: 900 };

interface ChatPageProps {
  chatId: string;
  /** What can be done to the chat. */
  items: (chat: {
    title: string;
    archived: boolean;
    pin_order: number;
    labels: Record<string, string>;
  }) => readonly MenuItem[];
  /** What is beside it; given how to close it. */
  panel: (close: () => void) => ReactNode;
}

export function ChatPage({ chatId, items, panel }: ChatPageProps) {
  const details = useOfChat(chatId, detailsOf);
  const status = useOfChat(chatId, statusOf);
  const messages = useOfChat(chatId, messagesOf);
  const refused = useOfChat(chatId, refusedOf);
  const gone = useOfChat(chatId, isGone);
  const isWide = useMedia("(min-width: 1024px)");
  const [panelOpen, setPanelOpen] = useKept("panel.open", false);
  const [panelInFront, setPanelInFront] = useState(false);
  const [panelWidth, setPanelWidth] = useKept("panel.width", PANEL.usual);
  const [editing, setEditing] = useState<Editing | null>(null);
  const readOnly = useReadOnly(chatId);
  const deeds = useDeeds(chatId);
  const isKnown = useChatDetails(chatId).data !== undefined;
  useMarkRead(chatId, messages, isKnown && deeds.has("chat.keep"));
  const isPanelShown = isWide ? panelOpen : panelInFront;
  const showPanel = isWide ? setPanelOpen : setPanelInFront;
  // A message that is to be looked at is shown in the panel.
  useEffect(() => onInspect(() => showPanel(true)), [showPanel]);
  useShortcut("panel", () => showPanel(!isPanelShown));

  if (refused) return <Refused chatId={chatId} status={refused.status} why={whyOf(refused)} />;
  if (gone)
    return (
      <Refused
        chatId={chatId}
        status={404}
        why="This chat was deleted, or is not shared with you any more."
      />
    );
  const closePanel = () => showPanel(false);
  return (
    <EditingContext value={{ editing, setEditing }}>
      <div className="flex min-h-0 flex-1">
        <main className="flex min-w-0 flex-1 flex-col" hidden={isPanelShown && !isWide}>
          <TopBar
            chatId={chatId}
            title={details?.title ?? ""}
            items={details ? items({ pin_order: 0, labels: {}, ...details }) : []}
            isPanelOpen={isPanelShown}
            onPanel={() => showPanel(!isPanelShown)}
          />
          {status === null ? (
            <Skeleton />
          ) : (
            <Transcript chatId={chatId} isReadOnly={readOnly !== null} deeds={deeds} />
          )}
          <div className="mx-auto w-full max-w-(--chat-width) px-4 pb-3">
            <Banners chatId={chatId} readOnly={readOnly} deeds={deeds} />
            <QueueList chatId={chatId} isReadOnly={readOnly !== null} />
            {readOnly === null && <Composer chatId={chatId} deeds={deeds} />}
          </div>
        </main>
        {isPanelShown && (
          <>
            {isWide && (
              <Resizer
                label="Width of the details"
                width={panelWidth}
                bounds={PANEL}
                onChange={setPanelWidth}
                isRight
              />
            )}
            <div className="min-w-0 shrink-0" style={{ width: isWide ? panelWidth : "100%" }}>
              <Boundary what="The panel">
                <Suspense fallback={<Loading />}>{panel(closePanel)}</Suspense>
              </Boundary>
            </div>
          </>
        )}
      </div>
    </EditingContext>
  );
}

/** A chat that is on its way: what a user has said, and an answer. */
function Skeleton() {
  return (
    <div
      role="status"
      aria-label="Loading"
      className="mx-auto flex min-h-0 w-full max-w-(--chat-width) flex-1 animate-pulse flex-col gap-3 px-4 pt-6"
    >
      <div className="mb-6 h-11 w-2/5 self-end rounded-2xl bg-hover" />
      {["w-full", "w-11/12", "w-4/5", "w-3/5"].map((width) => (
        <div key={width} className={classes("h-4 rounded bg-hover", width)} />
      ))}
    </div>
  );
}

function Loading() {
  return (
    <div className="flex min-h-0 flex-1 items-center justify-center">
      <Spinner label="Loading" className="text-muted" />
    </div>
  );
}

/** What the server says of a chat that is not there is meant for programs. */
const whyOf = (refused: ApiError) =>
  refused.status === 404
    ? "It was deleted, is not shared with you, or its address is wrong."
    : sentence(refused);

/** Only what is truly not there is said not to be there. */
function Refused({ chatId, status, why }: { chatId: string; status: number; why: string }) {
  const mayStart = useMayStart();
  return (
    <main className="m-auto flex max-w-md flex-col items-start gap-3 p-6">
      <h1 className="text-lg font-semibold">
        {status === 404 ? "There is no such chat" : "The chat could not be opened"}
      </h1>
      <p role="alert" className="text-sm text-muted">
        {why}
      </p>
      <div className="flex gap-2">
        {status !== 404 && (
          <Button look="primary" onClick={() => storeOf(chatId).tryAgain()}>
            Try again
          </Button>
        )}
        <Link
          href={mayStart ? "/new" : "/"}
          className={classes(
            "rounded-md px-3.5 py-1.5 text-sm font-medium text-accent hover:bg-hover",
            // Alone in its row, its words begin where those above begin.
            status === 404 && "-ml-3.5",
          )}
        >
          {mayStart ? "Start a new chat" : "To the list"}
        </Link>
      </div>
    </main>
  );
}
