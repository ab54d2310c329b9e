import { Radio } from "lucide-react";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { sentence } from "@/api/errors";
import { visible } from "@/lib/text/visible";
import { moment } from "@/lib/time";
import { FetchFileContext } from "@/parts/fileSource";
import { Button } from "@/ui/Button";
import { Spinner } from "@/ui/Spinner";
import { Asking, codeIn } from "./asking";
import { GuestTranscript } from "./GuestTranscript";
import { type Guest, GuestStore } from "./store";

/** A chat for who has a public link and is not signed in. Nothing is asked for here but with the code of the link. */
export default function GuestPage() {
  const code = useCode();
  return <Shown key={code} code={code} />;
}

function useCode(): string {
  const [code, setCode] = useState(() => codeIn(window.location.hash));
  useEffect(() => {
    const changed = () => setCode(codeIn(window.location.hash));
    window.addEventListener("hashchange", changed);
    return () => window.removeEventListener("hashchange", changed);
  }, []);
  return code;
}

function Shown({ code }: { code: string }) {
  const asking = useMemo(() => new Asking(code), [code]);
  const store = useMemo(() => new GuestStore(asking), [asking]);
  const guest = useSyncExternalStore(store.subscribe, store.snapshot);
  useEffect(() => store.open(), [store]);
  const title = visible(guest.view.title || guest.chat?.title || "");
  useEffect(() => {
    document.title = title || "chatd";
  }, [title]);

  if (guest.gone) return <Gone />;
  if (guest.failed) return <Failed why={sentence(guest.failed)} onAgain={store.tryAgain} />;
  if (guest.chat === null) {
    return (
      <main className="flex h-full items-center justify-center">
        <Spinner label="Loading" />
      </main>
    );
  }
  return (
    <FetchFileContext value={asking.file}>
      <div className="flex h-full flex-col">
        <Head guest={guest} chat={guest.chat} title={title} />
        <GuestTranscript guest={guest} isLive={guest.chat.live} onOlder={() => void store.loadOlder()} />
      </div>
    </FetchFileContext>
  );
}

interface HeadProps {
  guest: Guest;
  chat: NonNullable<Guest["chat"]>;
  title: string;
}

function Head({ guest, chat, title }: HeadProps) {
  const by = chat.owner_name ? `Shared by ${visible(chat.owner_name)}. ` : "";
  return (
    <header className="border-b border-line bg-raised">
      <div className="mx-auto flex w-full max-w-(--chat-width) items-center gap-3 px-4 py-3">
        <div className="min-w-0 flex-1">
          <h1 className="truncate text-base font-semibold">{title || "A chat"}</h1>
          <p className="text-xs text-muted">
            {by}You can read it until {moment(chat.expires_at)}.
          </p>
        </div>
        {chat.live && <Live connection={guest.connection} />}
      </div>
    </header>
  );
}

function Live({ connection }: Pick<Guest, "connection">) {
  const isOpen = connection.state === "open";
  return (
    <p role="status" className="flex shrink-0 items-center gap-1.5 text-xs text-muted">
      <Radio aria-hidden size={14} className={isOpen ? "text-good" : undefined} />
      {isOpen ? "Live" : "Connecting"}
    </p>
  );
}

function Gone() {
  return (
    <main className="mx-auto flex h-full max-w-md flex-col items-start justify-center gap-2 p-6">
      <h1 className="text-lg font-semibold">This link leads nowhere.</h1>
      <p className="text-sm text-muted">
        There is no such link, or it has ended. Ask whoever gave it to you for a new one.
      </p>
    </main>
  );
}

function Failed({ why, onAgain }: { why: string; onAgain: () => void }) {
  return (
    <main className="mx-auto flex h-full max-w-md flex-col items-start justify-center gap-3 p-6 text-sm">
      <p role="alert">{why}</p>
      <Button onClick={onAgain}>Try again</Button>
    </main>
  );
}
