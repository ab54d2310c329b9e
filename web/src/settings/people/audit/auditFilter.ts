/** What is looked for in the audit, as it is asked of the server (pure). */

import type { AuditFilter } from "@/api/accounts/people";

/** As it is chosen. Days are those of this browser, and the last one is meant whole. */
export interface Wanted {
  deed: string;
  actor: string;
  outcome: "" | "done" | "refused";
  from: string;
  to: string;
}

export const NOTHING_WANTED: Wanted = { deed: "", actor: "", outcome: "", from: "", to: "" };

export function filterOf({ deed, actor, outcome, from, to }: Wanted): AuditFilter {
  const since = midnight(from, 0);
  const until = midnight(to, 1);
  return {
    ...(deed.trim() && { deed: deed.trim() }),
    ...(actor && { actor }),
    ...(outcome && { outcome }),
    ...(since && { since }),
    ...(until && { until }),
  };
}

/** When a day begins here, or the one so many days after it; null: it is none. */
function midnight(day: string, after: number): string | null {
  const [year, month, date] = day.split("-").map(Number);
  if (!year || !month || !date) return null;
  return new Date(year, month - 1, date + after).toISOString();
}
