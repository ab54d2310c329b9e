import { Link } from "wouter";
import { useAccount } from "@/api/accounts/account";

/** First contact: nothing can be asked yet, and this is how that changes. */
export function NoModel() {
  const { data: account } = useAccount();
  const isAdmin = account?.role === "admin";
  return (
    <section className="rounded-xl border border-line bg-raised p-5 text-center">
      <p>
        No model is set up yet. chatd calls models of a provider with your key, which never leaves this
        server.
      </p>
      {isAdmin ? (
        <p className="flex flex-wrap justify-center gap-2 pt-4">
          <Link
            href="/settings/models"
            className="inline-flex h-9 items-center rounded-md bg-accent px-3.5 text-sm font-medium text-accent-text"
          >
            Add a provider and its key
          </Link>
          <Link
            href="/settings/models?try=scripted"
            className="inline-flex h-9 items-center rounded-md border border-line px-3.5 text-sm font-medium hover:bg-hover"
          >
            Try it without a key
          </Link>
        </p>
      ) : (
        <p className="pt-2 text-sm text-muted">Ask an administrator of this server to add one.</p>
      )}
    </section>
  );
}
