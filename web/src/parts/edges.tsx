/** What stands at both ends of a transcript: what was said earlier, and the way to the newest. */

import { ArrowDown } from "lucide-react";
import { Button } from "@/ui/Button";
import { Spinner } from "@/ui/Spinner";

export type OlderState = "idle" | "loading" | "failed";

export function Older({ state, onLoad }: { state: OlderState; onLoad: () => void }) {
  return (
    <div className="flex h-10 items-center justify-center text-sm">
      {state === "loading" ? (
        <Spinner label="Loading earlier messages" className="text-muted" />
      ) : (
        <Button size="small" look="quiet" onClick={onLoad}>
          {state === "failed" ? "Earlier messages could not be loaded. Try again" : "Earlier messages"}
        </Button>
      )}
    </div>
  );
}

export function ToNewest({ onClick }: { onClick: () => void }) {
  return (
    <Button
      size="small"
      onClick={onClick}
      className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full shadow-raised"
    >
      <ArrowDown aria-hidden size={14} />
      Newest
    </Button>
  );
}
