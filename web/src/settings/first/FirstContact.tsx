import { KeyRound } from "lucide-react";
import { useRef, useState } from "react";
import { useLocation } from "wouter";
import { usePermits } from "@/api/accounts/permits";
import { useModelList, useProviders } from "@/api/catalog/providers";
import { answer, api } from "@/api/client";
import { sentence } from "@/api/errors";
import { Button } from "@/ui/Button";
import { AddModel } from "../models/AddModel";
import { AddProvider } from "../models/providers/AddProvider";
import { EXAMPLES, type Example } from "./examples";

const SCRIPTED = "scripted";

/** For the page of a new chat while only the scripted model is there: what that means, and two ways on. */
export default function FirstContact() {
  const models = useModelList().data?.models;
  const isAdmin = usePermits().data?.has("model.change") ?? false;
  const [isAdding, setAdding] = useState(false);
  if (models === undefined || (models.some((model) => model.provider_type !== SCRIPTED) && !isAdding))
    return null;
  return (
    <section aria-label="First steps" className="flex flex-col gap-4 pt-6 text-sm">
      <p className="text-center text-muted">
        No AI is connected yet: a scripted model answers, which does what a script in your message says.{" "}
        {isAdmin
          ? "Try what chats can do with one of these, or add a key of a provider."
          : "Try what chats can do with one of these; an administrator can add a provider."}
      </p>
      <Examples hasScripted={models.some((model) => model.provider_type === SCRIPTED && model.available)} />
      {isAdmin &&
        (isAdding ? (
          <AddKey onDone={() => setAdding(false)} />
        ) : (
          <Button look="primary" className="self-center" onClick={() => setAdding(true)}>
            <KeyRound aria-hidden size={16} /> Add a key
          </Button>
        ))}
    </section>
  );
}

function Examples({ hasScripted }: { hasScripted: boolean }) {
  const [, navigate] = useLocation();
  const [busy, setBusy] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  // The same key for the same try: a chat that was made although no answer came is not made twice.
  const key = useRef(crypto.randomUUID());
  const start = async (example: Example) => {
    setBusy(example.title);
    setError(null);
    try {
      const chat = await begin(example, `${key.current} ${example.title}`);
      navigate(`/chats/${chat.id}`);
    } catch (failure) {
      setError(sentence(failure));
      setBusy(null);
    }
  };
  if (!hasScripted) return null;
  return (
    <>
      <ul className="grid gap-2 sm:grid-cols-3">
        {EXAMPLES.map((example) => (
          <li key={example.title} className="flex">
            <button
              type="button"
              disabled={busy !== null}
              aria-busy={busy === example.title}
              onClick={() => void start(example)}
              className="flex-1 rounded-lg border border-line p-3 text-left transition-colors hover:bg-hover disabled:opacity-60"
            >
              <span className="block font-medium">{example.title}</span>
              <span className="mt-0.5 block text-xs text-muted">{example.about}</span>
            </button>
          </li>
        ))}
      </ul>
      {error && (
        <p role="alert" className="text-bad">
          {error}
        </p>
      )}
    </>
  );
}

async function begin({ script, mode, needsWorkspace }: Example, key: string) {
  if (needsWorkspace) {
    const { usable } = await answer(api.GET("/api/v1/workspace"));
    if (!usable)
      throw new Error("This needs a workspace: start the server with `chatd serve --workspace DIR`.");
  }
  return answer(
    api.POST("/api/v1/chats", {
      body: {
        content: [{ type: "text", text: script }],
        model: "scripted/scripted",
        key,
        ...(mode && { mode }),
      },
    }),
  );
}

/** First the provider with its key, then a model of it. */
function AddKey({ onDone }: { onDone: () => void }) {
  const providers = useProviders().data?.providers ?? [];
  const models = useModelList().data?.models ?? [];
  const [hasProvider, setHasProvider] = useState(false);
  const isReady = hasProvider && providers.some((provider) => provider.type !== SCRIPTED);
  return (
    <div className="text-left">
      {isReady ? (
        <AddModel providers={providers} models={models} onDone={onDone} />
      ) : (
        <AddProvider
          taken={providers.map((provider) => provider.name)}
          onDone={() => undefined}
          onCancel={onDone}
          onAdded={() => setHasProvider(true)}
        />
      )}
    </div>
  );
}
