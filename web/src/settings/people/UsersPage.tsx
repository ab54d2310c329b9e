import { Plus } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { type Deleted, useUsers } from "@/api/accounts/people";
import { usePermits } from "@/api/accounts/permits";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { Secret } from "@/ui/Secret";
import { Empty, Loaded, More } from "../Loaded";
import { Page } from "../Page";
import { Rows } from "../Rows";
import { AddUser } from "./AddUser";
import { BringBack } from "./BringBack";
import { UserRow } from "./UserRow";

export interface Invited {
  name: string;
  link: string;
}

/** Who is on this server. */
export default function UsersPage() {
  const [isAdding, setAdding] = useState(false);
  const [invited, setInvited] = useState<Invited | null>(null);
  const [deleted, setDeleted] = useState<Deleted | null>(null);
  const [typed, setTyped] = useState("");
  const q = useDeferredValue(typed.trim());
  const users = useUsers(q);
  const permits = usePermits().data;
  const mayChange = permits?.has("people.change") ?? false;
  return (
    <Page
      title="Users"
      about="Everyone sees their own chats, and what was shared with them."
      actions={
        mayChange && (
          <Button size="small" disabled={isAdding} onClick={() => setAdding(true)}>
            <Plus aria-hidden size={15} /> Invite
          </Button>
        )
      }
    >
      {isAdding && <AddUser onInvited={setInvited} onDone={() => setAdding(false)} />}
      {invited && (
        <Secret secret={invited.link} what="link" onClose={() => setInvited(null)}>
          {`Give ${invited.name} this link. It signs one browser in, once; it is not shown again.`}
        </Secret>
      )}
      {deleted && <BringBack deleted={deleted} onClose={() => setDeleted(null)} />}
      <Field
        label="Find a user"
        placeholder="A part of the name"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Loaded query={users} what="Users">
        {({ pages }) => {
          const found = pages.flatMap((page) => page.users ?? []);
          if (found.length === 0) return <Empty>No user has this in their name.</Empty>;
          return (
            <>
              {/* Actions come once it is known which: others in their place would move the rows. */}
              <Rows label="Users">
                {found.map((user) => (
                  <UserRow
                    key={user.id}
                    user={user}
                    mayChange={permits === undefined ? null : mayChange}
                    onLink={setInvited}
                    onDeleted={setDeleted}
                  />
                ))}
              </Rows>
              <More query={users} />
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}
