/** The pages that an answer goes by. */

import { useState } from "react";
import type { PartOf } from "@/api/types";
import { plural } from "@/lib/text/words";
import { Group } from "@/ui/Group";

import { SourceLink } from "./SourceLink";

const SHOWN_AT_FIRST = 3;

export function SourcesRow({ sources }: { sources: readonly PartOf<"source">[] }) {
  const [isWhole, setWhole] = useState(false);
  const different = [...new Map(sources.map((source) => [source.url, source])).values()];
  const shown = isWhole ? different : different.slice(0, SHOWN_AT_FIRST);
  const left = different.length - shown.length;
  return (
    <Group label="Sources" className="my-2 min-w-0 rounded-lg border border-line px-3 py-2">
      <h2 className="text-xs text-muted">Sources</h2>
      <ul className="mt-1 grid gap-0.5">
        {shown.map((source) => (
          <li key={source.url} className="flex min-w-0">
            <SourceLink url={source.url} title={source.title} />
          </li>
        ))}
      </ul>
      {left > 0 && (
        <button
          type="button"
          onClick={() => setWhole(true)}
          className="mt-1 text-xs text-accent hover:underline"
        >
          {plural(left, "more source", "more sources")}
        </button>
      )}
    </Group>
  );
}
