import { type FormEvent, useEffect, useState } from "react";
import { signIn } from "@/api/accounts/account";
import { sentence } from "@/api/errors";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { Spinner } from "@/ui/Spinner";

/** The code of a one-time link is behind the #, where no log sees it. Taken out of the address at once. */
function codeInAddress(): string | null {
  const code = window.location.hash.slice(1);
  if (code === "") return null;
  window.history.replaceState(null, "", window.location.pathname + window.location.search);
  return decodeURIComponent(code);
}

let code: string | null | undefined;

export function SignInPage() {
  if (code === undefined) code = codeInAddress();
  const [busy, setBusy] = useState(code !== null);
  const [error, setError] = useState<string | null>(null);
  const [token, setToken] = useState("");

  async function attempt(secret: Parameters<typeof signIn>[0]): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      await signIn(secret);
    } catch (failure) {
      setError(sentence(failure));
      setBusy(false);
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a code can be used once
  useEffect(() => {
    const used = code;
    code = null;
    if (used) void attempt({ code: used });
  }, []);

  function submit(event: FormEvent): void {
    event.preventDefault();
    void attempt({ token: token.trim() });
  }

  return (
    <main className="mx-auto flex h-full w-[min(24rem,calc(100vw-2rem))] flex-col justify-center gap-5 pb-[10dvh]">
      <div>
        <h1 className="text-xl font-semibold">Sign in to chatd</h1>
        <p className="mt-1 text-sm text-muted">
          Open the link that <code className="font-mono text-[0.8125rem]">chatd serve</code> printed in its
          terminal, or give a token here. <code className="font-mono text-[0.8125rem]">chatd link</code> makes
          a new link.
        </p>
      </div>
      {busy && token === "" ? (
        <p role="status" className="flex items-center gap-2 text-sm">
          <Spinner /> Signing in…
        </p>
      ) : (
        <form onSubmit={submit} className="flex flex-col gap-3">
          <Field
            label="Token"
            type="password"
            autoComplete="off"
            required
            value={token}
            onChange={(event) => setToken(event.target.value)}
            error={error}
          />
          <Button type="submit" look="primary" busy={busy}>
            Sign in
          </Button>
        </form>
      )}
    </main>
  );
}
