import { CircleAlert, RefreshCw, Square } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { Link } from "wouter";
import { type Deeds, usePermits } from "@/api/accounts/permits";
import { retryTurn } from "@/api/chats/messages";
import { sentence } from "@/api/errors";
import type { Failure, Retry } from "@/api/types";
import type { ChatView } from "@/live/view/view";
import { Button } from "@/ui/Button";
import { toast } from "@/ui/overlay/Toast";
import { stop } from "../stop";

/** By the kind of a failure: what happened, in a few words, and where it can be mended. */
const KINDS: Record<string, { title: string; settings?: string }> = {
  overloaded: { title: "The model is overloaded" },
  usage_limit: { title: "The usage limit of the provider is reached" },
  rate_limit: { title: "The provider asks to slow down" },
  auth: { title: "The provider refused the key", settings: "/settings/models" },
  missing_key: { title: "A key is missing", settings: "/settings/models" },
  config: { title: "The model is not set up right", settings: "/settings/models" },
  provider_disabled: { title: "The provider is switched off", settings: "/settings/models" },
  context_too_large: { title: "The chat is too long for this model" },
  content_filter: { title: "The provider's filter stopped the answer" },
  timeout: { title: "The model took too long" },
  stream_silence_timeout: { title: "The model fell silent" },
};

const OTHER: (typeof KINDS)[string] = { title: "The turn failed" };

/** What keeps the agent from going on: a retry that is pending, or a failure. */
export function StatusCallout({ chatId, view, deeds }: { chatId: string; view: ChatView; deeds: Deeds }) {
  if (view.retry) return <Retrying chatId={chatId} retry={view.retry} deeds={deeds} />;
  if (view.error) return <Failed chatId={chatId} failure={view.error} deeds={deeds} />;
  return null;
}

function Retrying({ chatId, retry, deeds }: { chatId: string; retry: Retry; deeds: Deeds }) {
  const seconds = useCountdown(retry.retrying_at);
  return (
    <Callout
      look="warn"
      icon={<RefreshCw aria-hidden size={16} />}
      title={(KINDS[retry.kind] ?? OTHER).title}
    >
      <p>
        {retry.error} Attempt {retry.attempt + 1} begins {seconds > 0 ? `in ${seconds} s` : "now"}.
      </p>
      <div className="flex gap-2 pt-2">
        {deeds.has("chat.speak") && (
          <Action label="Try now" icon={<RefreshCw aria-hidden size={13} />} does={() => retryTurn(chatId)} />
        )}
        {deeds.has("chat.stop") && (
          <Action label="Stop" icon={<Square aria-hidden size={12} />} does={() => stop(chatId)} />
        )}
      </div>
    </Callout>
  );
}

function Failed({ chatId, failure, deeds }: { chatId: string; failure: Failure; deeds: Deeds }) {
  const mayMend = usePermits().data?.has("model.change") ?? false;
  const kind = KINDS[failure.kind] ?? OTHER;
  const about = [failure.provider, failure.status_code && `status ${failure.status_code}`]
    .filter(Boolean)
    .join(", ");
  return (
    <Callout look="bad" icon={<CircleAlert aria-hidden size={16} />} title={kind.title}>
      <p>
        {failure.message} {about && <span className="text-muted">({about})</span>}
      </p>
      {failure.detail && (
        <details className="pt-1">
          <summary className="cursor-pointer text-muted">What the provider said</summary>
          <pre className="mt-1 max-h-48 overflow-auto font-mono text-xs break-words whitespace-pre-wrap">
            {failure.detail}
          </pre>
        </details>
      )}
      <div className="flex gap-2 pt-2">
        {deeds.has("chat.speak") && (
          <Action
            label="Try again"
            icon={<RefreshCw aria-hidden size={13} />}
            does={() => retryTurn(chatId)}
          />
        )}
        {kind.settings && mayMend && (
          <Link
            href={kind.settings}
            className="rounded-md px-2.5 py-1 text-[0.8125rem] font-medium hover:bg-hover"
          >
            Open the settings
          </Link>
        )}
      </div>
    </Callout>
  );
}

interface CalloutProps {
  look: "warn" | "bad";
  icon: ReactNode;
  title: string;
  children: ReactNode;
}

function Callout({ look, icon, title, children }: CalloutProps) {
  const colours = look === "bad" ? "bg-bad-soft text-bad" : "bg-warn-soft text-warn";
  return (
    <section
      role={look === "bad" ? "alert" : "status"}
      className={`my-2 flex gap-3 rounded-lg px-4 py-3 text-sm ${colours}`}
    >
      <span className="pt-0.5">{icon}</span>
      <div className="min-w-0 flex-1">
        <h2 className="font-medium">{title}</h2>
        <div className="text-text">{children}</div>
      </div>
    </section>
  );
}

function Action({ label, icon, does }: { label: string; icon: ReactNode; does: () => Promise<unknown> }) {
  const [busy, setBusy] = useState(false);
  async function run(): Promise<void> {
    setBusy(true);
    try {
      await does();
    } catch (error) {
      toast({ text: sentence(error), bad: true });
    } finally {
      setBusy(false);
    }
  }
  return (
    <Button size="small" busy={busy} onClick={() => void run()}>
      {!busy && icon}
      {label}
    </Button>
  );
}

/** Whole seconds until then; 0 when it is over, or no moment at all. */
function useCountdown(until: string): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  const left = (Date.parse(until) - now) / 1000;
  return Number.isFinite(left) ? Math.max(0, Math.ceil(left)) : 0;
}
