import type { UseInfiniteQueryResult, UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { sentence } from "@/api/errors";
import { Button } from "@/ui/Button";

interface LoadedProps<T> {
  query: UseQueryResult<T>;
  /** What is being loaded, for screen readers. */
  what: string;
  children: (data: T) => ReactNode;
}

/** What the server was asked for: on its way, refused with a way on, or there. What was there stays. */
export function Loaded<T>({ query, what, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <Failed what={what} error={query.error} onRetry={() => void query.refetch()} />;
  return <Skeleton what={what} />;
}

/** The way to the next page of a list, where there is one. */
export function More({ query, label = "More" }: { query: UseInfiniteQueryResult; label?: string }) {
  return (
    query.hasNextPage && (
      <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {label}
      </Button>
    )
  );
}

interface FailedProps {
  what: string;
  error: unknown;
  onRetry: () => void;
}

export function Failed({ what, error, onRetry }: FailedProps) {
  return (
    <div role="alert" className="flex flex-col items-start gap-3 rounded-lg border border-line p-4 text-sm">
      <p>
        <span className="font-medium">{what} could not be loaded.</span> {sentence(error)}
      </p>
      <Button size="small" onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}

const ROWS = ["w-2/3", "w-full", "w-1/2"];

function Skeleton({ what }: { what: string }) {
  return (
    <div role="status" aria-label={`Loading ${what.toLowerCase()}`} className="flex flex-col gap-3">
      {ROWS.map((width) => (
        <div key={width} aria-hidden className={`h-9 animate-pulse rounded-md bg-sunken ${width}`} />
      ))}
    </div>
  );
}

/** Nothing there yet, and what to do about it. */
export function Empty({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className="flex flex-col items-start gap-3 rounded-lg border border-dashed border-line p-6 text-sm">
      <p className="max-w-prose text-muted">{children}</p>
      {action}
    </div>
  );
}
