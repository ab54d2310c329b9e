import type { ToolCardProps } from "./index";

/** Any tool: its name, what it was given and what came of it. */
export function DefaultCard({ call }: ToolCardProps) {
  const shown = call.result ? JSON.stringify(call.result.result, null, 2) : call.output;
  return (
    <section aria-label={call.name} className="rounded-lg border border-line px-3 py-2 text-sm">
      <p className="font-medium">{call.name}</p>
      <pre className="mt-1 max-h-64 overflow-auto font-mono text-xs whitespace-pre-wrap">{shown}</pre>
    </section>
  );
}
