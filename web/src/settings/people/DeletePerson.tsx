import { useState } from "react";
import type { ChatsAfter, Leaving } from "@/api/accounts/people";
import type { Subject } from "@/api/chats/sharing";
import { FindPeople } from "@/people/FindPeople";
import { Choice } from "../form/Choice";
import { Confirm } from "../form/Confirm";

const CHATS = [
  { value: "archive", label: "Put away", note: "administrators can read them" },
  { value: "transfer", label: "Given to somebody", note: "who owns them then" },
  { value: "erase", label: "Deleted", note: "with their files, for good" },
] as const;

interface DeletePersonProps {
  person: { id: string; name: string };
  /** What else goes with it. */
  children: string;
  action: string;
  busy: boolean;
  error: unknown;
  onDelete: (leaving: Leaving) => void;
  onClose: () => void;
}

/** To delete somebody is to say what becomes of their chats. */
export function DeletePerson({
  person,
  children,
  action,
  busy,
  error,
  onDelete,
  onClose,
}: DeletePersonProps) {
  const [chats, setChats] = useState<ChatsAfter>("archive");
  const [to, setTo] = useState<Subject | null>(null);
  const isReady = chats !== "transfer" || to !== null;
  return (
    <Confirm
      title={`Delete ${person.name}?`}
      action={action}
      busy={busy}
      disabled={!isReady}
      error={error}
      onClose={onClose}
      onConfirm={() => onDelete({ id: person.id, chats, ...(chats === "transfer" && to && { to: to.id }) })}
    >
      <div className="flex flex-col gap-4">
        <p>{children}</p>
        <Choice label="Their chats are" options={CHATS} value={chats} onChange={setChats} />
        {chats === "transfer" &&
          (to === null ? (
            <FindPeople label="Who gets them" kinds={["user"]} except={person.id} onChosen={setTo} />
          ) : (
            <p>
              {to.name} gets them.{" "}
              <button type="button" className="text-accent underline" onClick={() => setTo(null)}>
                Somebody else
              </button>
            </p>
          ))}
      </div>
    </Confirm>
  );
}
