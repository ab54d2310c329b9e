import { useDeferredValue, useState } from "react";
import { FIND_LENGTH_MIN, type GrantKind, type Subject, useFind } from "@/api/chats/sharing";
import { sentence } from "@/api/errors";
import { Field } from "@/ui/Field";

interface FindPeopleProps {
  label: string;
  kinds: readonly GrantKind[];
  /** The id of somebody who is not meant. */
  except?: string;
  onChosen: (subject: Subject) => void;
}

const WORDS: Readonly<Record<GrantKind, string>> = { user: "", group: "Group", everyone: "" };

/** A field in which a name is typed, and those who have it. */
export function FindPeople({ label, kinds, except, onChosen }: FindPeopleProps) {
  const [typed, setTyped] = useState("");
  const text = useDeferredValue(typed.trim());
  const found = useFind(text);
  const shown = (found.data ?? []).filter(({ kind, id }) => kinds.includes(kind) && id !== except);
  const isAsked = text.length >= FIND_LENGTH_MIN;
  return (
    <div className="flex flex-col gap-2">
      <Field
        label={label}
        placeholder="Type a name"
        autoComplete="off"
        value={typed}
        error={found.isError ? sentence(found.error) : undefined}
        onChange={(event) => setTyped(event.target.value)}
      />
      {isAsked && found.isSuccess && (
        <ul aria-label="Found" className="flex flex-col rounded-md border border-line empty:hidden">
          {shown.map((subject) => (
            <li key={`${subject.kind} ${subject.id}`}>
              <button
                type="button"
                className="flex w-full items-center gap-2 px-3 py-2 text-left text-sm hover:bg-hover"
                onClick={() => {
                  setTyped("");
                  onChosen(subject);
                }}
              >
                {subject.name}
                {WORDS[subject.kind] && <span className="text-xs text-muted">{WORDS[subject.kind]}</span>}
              </button>
            </li>
          ))}
          {shown.length === 0 && <li className="px-3 py-2 text-sm text-muted">Nobody has this name.</li>}
        </ul>
      )}
    </div>
  );
}
