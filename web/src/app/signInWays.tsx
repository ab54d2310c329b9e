import { type FormEvent, useState } from "react";
import { signIn, signInWithPassword } from "@/api/accounts/account";
import { sentence } from "@/api/errors";
import { ROOT, ROOT_PATH } from "@/lib/browser/base";
import { Button, buttonClasses } from "@/ui/Button";
import { Field } from "@/ui/Field";

/** Why the identity provider's answer let nobody in, by the word that the server puts into the address. */
const FAILURES: Readonly<Record<string, string>> = {
  state: "This sign-in took too long, or has begun in another browser. Try again.",
  refused: "The identity provider did not let you in, or you have stopped there. Try again.",
  away: "The identity provider cannot be used at the moment. Try again in a while.",
  token: "What the identity provider has sent does not count. An administrator finds the reason in the log.",
  not_invited: "You have no account here yet. An administrator can invite you.",
  group: "You are not in a group that may come in. An administrator can say which one it is.",
  suspended: "Your account is suspended. An administrator can activate it again.",
  taken: "This account of the identity provider belongs to another user here.",
};

/** What went wrong at the identity provider, from which the browser was sent back here. */
export function failureInAddress(search: string): string | null {
  const failed = new URLSearchParams(search).get("failed");
  if (failed === null) return null;
  return Object.hasOwn(FAILURES, failed) ? (FAILURES[failed] ?? null) : "You were not signed in. Try again.";
}

/** The page where the person was, to come back to: a path of ours, without what is in front of it. */
export function pathHere(location: Pick<Location, "pathname" | "search">): string {
  const path = location.pathname.slice(ROOT_PATH.length) || "/";
  return path.startsWith("/sign-in") ? "/" : path + location.search;
}

/** A link and no script: the browser leaves this page for the provider's. */
export function ProviderLink({ name }: { name: string }) {
  const address = new URL("api/v1/auth/oidc", ROOT);
  address.searchParams.set("return_to", pathHere(window.location));
  return (
    <a href={address.href} className={buttonClasses("primary")}>
      Sign in with {name}
    </a>
  );
}

export function PasswordForm() {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const { busy, error, attempt } = useAttempt();

  function submit(event: FormEvent): void {
    event.preventDefault();
    void attempt(() => signInWithPassword(name.trim(), password));
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <Field
        label="Name"
        autoComplete="username"
        required
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Field
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        error={error}
      />
      <Button type="submit" look="primary" busy={busy}>
        Sign in
      </Button>
    </form>
  );
}

export function TokenForm({ refused }: { refused: string | null }) {
  const [token, setToken] = useState("");
  const { busy, error, attempt } = useAttempt();

  function submit(event: FormEvent): void {
    event.preventDefault();
    void attempt(() => signIn({ token: token.trim() }));
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <Field
        label="Token"
        type="password"
        autoComplete="off"
        required
        value={token}
        onChange={(event) => setToken(event.target.value)}
        error={error ?? refused}
      />
      <Button type="submit" look="primary" busy={busy}>
        Sign in
      </Button>
    </form>
  );
}

function useAttempt() {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);

  async function attempt(signIn: () => Promise<void>): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      await signIn();
    } catch (failure) {
      setError(sentence(failure));
      setBusy(false);
    }
  }

  return { busy, error, attempt };
}
