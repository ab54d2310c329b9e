import { X } from "lucide-react";
import { useState } from "react";
import type { AuditFilter } from "@/api/accounts/people";
import type { Subject } from "@/api/chats/sharing";
import { FindPeople } from "@/people/FindPeople";
import { Field, Select } from "@/ui/Field";
import { IconButton } from "@/ui/IconButton";
import { filterOf, NOTHING_WANTED, type Wanted } from "./auditFilter";

const OUTCOMES = { "": "Done and refused", done: "Done", refused: "Refused" } as const;

/** What of the audit is looked for. */
export function AuditFilters({ onChange }: { onChange: (filter: AuditFilter) => void }) {
  const [wanted, setWanted] = useState<Wanted>(NOTHING_WANTED);
  const [actor, setActor] = useState<Subject | null>(null);
  function want(change: Partial<Wanted>): void {
    const next = { ...wanted, ...change };
    setWanted(next);
    onChange(filterOf(next));
  }
  function by(somebody: Subject | null): void {
    setActor(somebody);
    want({ actor: somebody?.id ?? "" });
  }
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field
        label="Only this"
        placeholder="user.suspend"
        value={wanted.deed}
        onChange={(event) => want({ deed: event.target.value })}
      />
      <Select
        label="How it went"
        value={wanted.outcome}
        onChange={(event) => want({ outcome: event.target.value as Wanted["outcome"] })}
      >
        {Object.entries(OUTCOMES).map(([outcome, label]) => (
          <option key={outcome} value={outcome}>
            {label}
          </option>
        ))}
      </Select>
      <Field
        label="From"
        type="date"
        value={wanted.from}
        onChange={(event) => want({ from: event.target.value })}
      />
      <Field
        label="Up to"
        type="date"
        value={wanted.to}
        onChange={(event) => want({ to: event.target.value })}
      />
      <div className="sm:col-span-2">
        {actor === null ? (
          <FindPeople label="By whom" kinds={["user"]} onChosen={by} />
        ) : (
          <p className="flex items-center gap-1 text-sm">
            By {actor.name}
            <IconButton icon={X} size="small" label="By anybody" onClick={() => by(null)} />
          </p>
        )}
      </div>
    </div>
  );
}
