import { Ban, Link, LockOpen, MoreHorizontal, Trash2 } from "lucide-react";
import { useState } from "react";
import {
  type User,
  type UserRole,
  useChangeUser,
  useDeleteUser,
  useSignInLink,
  useSuspendUser,
} from "@/api/accounts/people";
import { sentence } from "@/api/errors";
import { linkWith } from "@/lib/browser/base";
import { moment } from "@/lib/time";
import { Select } from "@/ui/Field";
import { IconButton } from "@/ui/IconButton";
import { Menu, type MenuItem } from "@/ui/overlay/Menu";
import { toast } from "@/ui/overlay/Toast";
import { Confirm } from "../form/Confirm";
import { Mark, Row } from "../Rows";
import { ROLE_NAMES, ROLES } from "./roles";
import type { Invited } from "./UsersPage";

interface UserRowProps {
  user: User;
  mayChange: boolean;
  onLink: (made: Invited) => void;
}

const tell = (error: unknown) => toast({ text: sentence(error), bad: true });

export function UserRow({ user, mayChange, onLink }: UserRowProps) {
  const [asks, setAsks] = useState<"suspend" | "delete" | null>(null);
  const change = useChangeUser();
  const suspend = useSuspendUser();
  const remove = useDeleteUser();
  const link = useSignInLink();
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
    isSuspended
      ? {
          label: "Let in again",
          icon: LockOpen,
          onSelect: () => suspend.mutate({ id: user.id, isSuspended: false }, { onError: tell }),
        }
      : { label: "Suspend…", icon: Ban, onSelect: () => setAsks("suspend") },
    { label: "Delete…", icon: Trash2, danger: true, onSelect: () => setAsks("delete") },
  ];
  return (
    <Row
      title={user.display_name || user.name}
      marks={
        <>
          {!mayChange && <Mark>{ROLES[user.role].label}</Mark>}
          {isSuspended && <Mark look="warn">Suspended</Mark>}
        </>
      }
      note={`${user.name} · since ${moment(user.created_at)}`}
      actions={
        mayChange && (
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
        )
      }
    >
      {asks === "suspend" && (
        <Confirm
          title={`Suspend ${user.name}?`}
          action="Suspend"
          busy={suspend.isPending}
          error={suspend.error}
          onClose={() => setAsks(null)}
          onConfirm={() =>
            suspend.mutate({ id: user.id, isSuspended: true }, { onSuccess: () => setAsks(null) })
          }
        >
          <p>Nothing lets them in until you take it back. Their agents stop; what was said is kept.</p>
        </Confirm>
      )}
      {asks === "delete" && (
        <Confirm
          title={`Delete ${user.name}?`}
          action="Delete user"
          busy={remove.isPending}
          error={remove.error}
          onClose={() => setAsks(null)}
          onConfirm={() => remove.mutate(user.id, { onSuccess: () => setAsks(null) })}
        >
          <p>
            Their chats go to the archive, their tokens and sign-ins are gone. For 14 days they can be brought
            back with <code>chatd user</code>.
          </p>
        </Confirm>
      )}
    </Row>
  );
}
