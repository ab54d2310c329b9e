import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ApiError, sentence } from "@/api/errors";
import { Button } from "@/ui/Button";
import { Spinner } from "@/ui/Spinner";

interface AskedProps<T> {
  query: UseQueryResult<T>;
  /** What is being loaded. */
  what: string;
  /** Refusals that are no failure, by their code: there is just nothing to show. */
  nothing?: Readonly<Record<string, string>>;
  children: (data: T) => ReactNode;
}

/** What was asked for: on its way, there, not there for a reason, or failed with a way to try again. */
export function Asked<T>({ query, what, nothing = {}, children }: AskedProps<T>) {
  const code = query.error instanceof ApiError ? query.error.code : null;
  const reason = code === null ? undefined : nothing[code];
  if (reason !== undefined) return <Nothing>{reason}</Nothing>;
  if (query.data !== undefined) return children(query.data);
  if (query.isError)
    return (
      <div role="alert" className="flex flex-col items-start gap-3 p-4 text-sm">
        <p>
          <span className="font-medium">{what} could not be loaded.</span> {sentence(query.error)}
        </p>
        <Button size="small" onClick={() => void query.refetch()}>
          Try again
        </Button>
      </div>
    );
  return (
    <div className="flex justify-center p-8 text-muted">
      <Spinner label={`Loading ${what.toLowerCase()}`} />
    </div>
  );
}

export function Nothing({ children }: { children: ReactNode }) {
  return <p className="p-4 text-sm text-muted">{children}</p>;
}
