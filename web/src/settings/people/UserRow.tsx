import { KeyRound, Link, LogOut, MoreHorizontal, Trash2 } from "lucide-react";
import { useState } from "react";
import {
  type Deleted,
  type User,
  type UserRole,
  useChangeUser,
  useDeleteUser,
  useSignInLink,
  useSignOutUser,
} from "@/api/accounts/people";
import { sentence } from "@/api/errors";
import { linkWith } from "@/lib/browser/base";
import { moment } from "@/lib/time";
import { Button } from "@/ui/Button";
import { Select } from "@/ui/Field";
import { IconButton } from "@/ui/IconButton";
import { Menu, type MenuItem } from "@/ui/overlay/Menu";
import { toast } from "@/ui/overlay/Toast";
import { Confirm } from "../form/Confirm";
import { Mark, Row } from "../Rows";
import { DeletePerson } from "./DeletePerson";
import { ROLE_NAMES, ROLES } from "./roles";
import { SignInsOf } from "./SignInsOf";
import { TokensOf } from "./TokensOf";
import type { Invited } from "./UsersPage";
import { useSuspending } from "./useSuspending";

interface UserRowProps {
  user: User;
  /** Null: it is not known yet. */
  mayChange: boolean | null;
  onLink: (made: Invited) => void;
  onDeleted: (deleted: Deleted) => void;
}

const tell = (error: unknown) => toast({ text: sentence(error), bad: true });

export function UserRow({ user, mayChange, onLink, onDeleted }: UserRowProps) {
  const [isOpen, setOpen] = useState(false);
  const [asks, setAsks] = useState<"sign out" | "delete" | null>(null);
  const change = useChangeUser();
  const suspending = useSuspending(
    user,
    "Nothing lets them in until you take it back. Their agents stop; what was said is kept.",
  );
  const remove = useDeleteUser();
  const link = useSignInLink();
  const signOut = useSignOutUser();
  const isSuspended = user.suspended_at !== null;
  const items: MenuItem[] = [
    {
      label: "Make a link to sign in",
      icon: Link,
      onSelect: () =>
        link.mutate(user.id, {
          onSuccess: ({ code }) => onLink({ name: user.name, link: linkWith(code) }),
          onError: tell,
        }),
    },
    { label: "Tokens and sign-ins", icon: KeyRound, onSelect: () => setOpen(!isOpen) },
    { label: "Sign out everywhere…", icon: LogOut, onSelect: () => setAsks("sign out") },
    suspending.item,
    { label: "Delete…", icon: Trash2, danger: true, onSelect: () => setAsks("delete") },
  ];
  return (
    <Row
      title={user.display_name || user.name}
      marks={
        <>
          {mayChange === false && <Mark>{ROLES[user.role].label}</Mark>}
          {isSuspended && <Mark look="warn">Suspended</Mark>}
        </>
      }
      note={`${user.name} · since ${moment(user.created_at)}`}
      actions={
        mayChange === null ? null : mayChange ? (
          <>
            <Select
              label={`Role of ${user.name}`}
              bare
              value={user.role}
              onChange={(event) =>
                change.mutate({ id: user.id, role: event.target.value as UserRole }, { onError: tell })
              }
            >
              {ROLE_NAMES.map((role) => (
                <option key={role} value={role}>
                  {ROLES[role].label}
                </option>
              ))}
            </Select>
            <Menu items={items}>
              <IconButton icon={MoreHorizontal} label={`Actions for ${user.name}`} hint={false} />
            </Menu>
          </>
        ) : (
          <Button size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Tokens and sign-ins<span className="sr-only"> of {user.name}</span>
          </Button>
        )
      }
    >
      {isOpen && (
        <>
          <TokensOf user={user} mayChange={mayChange ?? false} purposes={[]} />
          <SignInsOf user={user} mayChange={mayChange ?? false} />
        </>
      )}
      {asks === "sign out" && (
        <Confirm
          title={`Sign ${user.name} out?`}
          action="Sign out"
          busy={signOut.isPending}
          error={signOut.error}
          onClose={() => setAsks(null)}
          onConfirm={() => signOut.mutate(user.id, { onSuccess: () => setAsks(null) })}
        >
          <p>Every browser of theirs is signed out. Their tokens still count.</p>
        </Confirm>
      )}
      {suspending.question}
      {asks === "delete" && (
        <DeletePerson
          person={user}
          action="Delete user"
          busy={remove.isPending}
          error={remove.error}
          onClose={() => setAsks(null)}
          onDelete={(leaving) => {
            // Its tokens are not asked for any more.
            setOpen(false);
            // Not by a callback of the mutation: this row is gone by then.
            remove.mutateAsync(leaving).then(
              () => onDeleted(user),
              () => undefined,
            );
          }}
        >
          Their tokens and sign-ins are gone at once. For 14 days they can be brought back, without these.
        </DeletePerson>
      )}
    </Row>
  );
}
