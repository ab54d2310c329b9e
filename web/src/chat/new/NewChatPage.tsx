import { ArrowLeft } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { useMayStart } from "@/api/accounts/permits";
import { createChat } from "@/api/chats/chats";
import { sentence } from "@/api/errors";
import { useIsPhone } from "@/lib/browser/useMedia";
import { NEW } from "@/lib/kept/draft";
import { Button } from "@/ui/Button";
import { IconButton } from "@/ui/IconButton";
import { Spinner } from "@/ui/Spinner";
import { ComposerBox } from "../composer/ComposerBox";
import { useChoice } from "../composer/setup/choice";
import { McpPicker } from "../composer/setup/McpPicker";
import type { Chosen } from "../composer/setup/mcp";
import type { Outgoing } from "../send";
import { NoModel } from "./NoModel";

interface NewChatPageProps {
  /** Below the field: what helps those who are here for the first time. */
  firstSteps?: ReactNode;
}

/** Where a chat begins. Who may start none is told so, before they write. */
export function NewChatPage(props: NewChatPageProps) {
  return useMayStart() ? <StartPage {...props} /> : <NoStart />;
}

function NoStart() {
  return (
    <main className="m-auto flex max-w-md flex-col gap-3 p-6">
      <h1 className="text-lg font-semibold">You start no chats here</h1>
      <p className="text-sm text-muted">
        Your role lets you read what is shared with you. To start chats of your own, ask an administrator for
        another role.
      </p>
      <Link
        href="/?shared=1"
        className="-ml-3.5 self-start rounded-md px-3.5 py-1.5 text-sm font-medium text-accent hover:bg-hover"
      >
        See what is shared with you
      </Link>
    </main>
  );
}

function StartPage({ firstSteps }: NewChatPageProps) {
  const [, navigate] = useLocation();
  const isPhone = useIsPhone();
  const choice = useChoice(null);
  const [isPlanning, setPlanning] = useState(false);
  const [servers, setServers] = useState<Chosen>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  // The same key for the same try: a chat that was made although no answer came is not made twice.
  const [key, setKey] = useState(() => crypto.randomUUID());

  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);

  async function start({ content, model, effort }: Outgoing): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      const chat = await createChat({
        content,
        key,
        ...(model && { model }),
        ...(effort && { reasoning_effort: effort }),
        ...(isPlanning && { mode: "plan" as const }),
        ...(servers && { mcp_servers: [...servers] }),
      });
      // Who has gone elsewhere meanwhile stays there, and finds it in the list.
      if (isHere.current) navigate(`/chats/${chat.id}${window.location.search}`);
    } catch (failure) {
      setError(sentence(failure));
      setKey(crypto.randomUUID());
      throw failure;
    } finally {
      setBusy(false);
    }
  }

  return (
    <main className="flex min-h-0 flex-1 flex-col">
      {isPhone && (
        <header className="flex h-12 items-center border-b border-line px-2">
          <IconButton
            icon={ArrowLeft}
            label="Back to the list"
            onClick={() => navigate(`/${window.location.search}`)}
          />
        </header>
      )}
      {/* Held from above, not centred: what comes later must not move the button under somebody's finger. */}
      <div className="mx-auto flex w-full max-w-3xl flex-1 flex-col overflow-y-auto px-4 pt-[max(1.5rem,22dvh)] pb-6">
        <h1 className="pb-5 text-center text-2xl font-semibold tracking-tight">What shall the agent do?</h1>
        {choice.isLoading ? (
          <p className="text-center">
            <Spinner label="Loading" />
          </p>
        ) : choice.failure !== null ? (
          <div role="alert" className="flex flex-col items-center gap-3 text-sm">
            <p>
              <span className="font-medium">The models could not be loaded.</span> {sentence(choice.failure)}
            </p>
            <Button size="small" onClick={choice.retry}>
              Try again
            </Button>
          </div>
        ) : choice.model === null ? (
          <NoModel />
        ) : (
          <ComposerBox
            place={NEW}
            chatId={null}
            placeholder="Describe a task, or ask something"
            choice={choice}
            isActive={false}
            isBusy={isBusy}
            isPlanning={isPlanning}
            onPlanning={setPlanning}
            mcp={<McpPicker chosen={servers} onChoose={setServers} />}
            onSend={start}
            onStop={() => undefined}
            prompts={[]}
            commands={[
              { name: "plan", label: "Plan first, change nothing", run: () => setPlanning(!isPlanning) },
            ]}
            autoFocus
          />
        )}
        {error && (
          <p role="alert" className="pt-3 text-sm text-bad">
            {error}
          </p>
        )}
        {/* Below a field that is there: it would push them down when it comes. */}
        {!choice.isLoading && firstSteps}
      </div>
    </main>
  );
}
