import { useEffect, useState } from "react";
import { signIn, useMethods } from "@/api/accounts/account";
import { sentence } from "@/api/errors";
import { Spinner } from "@/ui/Spinner";
import { failureInAddress, PasswordForm, ProviderLink, TokenForm } from "./signInWays";

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
  const [refused, setRefused] = useState<string | null>(null);
  const methods = useMethods();

  useEffect(() => {
    const used = code;
    code = null;
    if (!used) return;
    signIn({ code: used }).catch((failure: unknown) => {
      setRefused(sentence(failure));
      setBusy(false);
    });
  }, []);

  const provider = methods.data?.oidc_name ?? null;
  const hasPasswords = methods.data?.methods.includes("password") ?? false;
  const hasOthers = provider !== null || hasPasswords;
  const failed = failureInAddress(window.location.search);
  return (
    <main className="mx-auto flex min-h-full w-[min(24rem,calc(100vw-2rem))] flex-col justify-center gap-5 py-8 pb-[10dvh]">
      <div>
        <h1 className="text-xl font-semibold">Sign in to chatd</h1>
        {!hasOthers && <Links />}
      </div>
      {failed && !busy && (
        <p role="alert" className="rounded-md bg-bad-soft px-3 py-2 text-sm text-bad">
          {failed}
        </p>
      )}
      {busy || methods.isPending ? (
        <p role="status" className="flex items-center gap-2 text-sm">
          <Spinner /> {busy ? "Signing in…" : "Loading…"}
        </p>
      ) : (
        <>
          {provider !== null && <ProviderLink name={provider} />}
          {hasPasswords && <PasswordForm />}
          {hasOthers ? (
            <details open={refused !== null} className="text-sm">
              <summary className="cursor-pointer py-1 text-muted">Sign in with a link or a token</summary>
              <div className="flex flex-col gap-3 pt-2">
                <Links />
                <TokenForm refused={refused} />
              </div>
            </details>
          ) : (
            <TokenForm refused={refused} />
          )}
        </>
      )}
    </main>
  );
}

function Links() {
  return (
    <p className="mt-1 text-sm text-muted">
      Open the link that an administrator gave you or{" "}
      <code className="font-mono text-[0.8125rem]">chatd serve</code> printed in its terminal, or give a token
      here. On the server’s machine <code className="font-mono text-[0.8125rem]">chatd link</code> makes a new
      link.
    </p>
  );
}
