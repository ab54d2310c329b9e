import { MoreHorizontal, Trash2 } from "lucide-react";
import { useState } from "react";
import { type Deleted, type Group, type Service, useDeleteService } from "@/api/accounts/people";
import { plural } from "@/lib/text/words";
import { Button } from "@/ui/Button";
import { IconButton } from "@/ui/IconButton";
import { Menu, type MenuItem } from "@/ui/overlay/Menu";
import { SERVICE_PURPOSES } from "../access/purposes";
import { Mark, Row } from "../Rows";
import { DeletePerson } from "./DeletePerson";
import { ROLES } from "./roles";
import { TokensOf } from "./TokensOf";
import { useSuspending } from "./useSuspending";

interface ServiceRowProps {
  service: Service;
  groups: readonly Group[];
  mayChange: boolean;
  onDeleted: (deleted: Deleted) => void;
}

export function ServiceRow({ service, groups, mayChange, onDeleted }: ServiceRowProps) {
  const [isOpen, setOpen] = useState(false);
  const [asksToDelete, setAsksToDelete] = useState(false);
  const remove = useDeleteService();
  const suspending = useSuspending(
    service,
    "Its tokens are refused until you take it back, and so are those for whom it speaks. Their agents stop; what was said is kept.",
  );
  const isSuspended = service.suspended_at !== null;
  const acts = service.acts_for !== "nobody";
  const items: MenuItem[] = [
    suspending.item,
    { label: "Delete…", icon: Trash2, danger: true, onSelect: () => setAsksToDelete(true) },
  ];
  return (
    <Row
      title={service.display_name || service.name}
      marks={
        <>
          {service.role !== "member" && <Mark>{ROLES[service.role].label}</Mark>}
          {isSuspended && <Mark look="warn">Suspended</Mark>}
        </>
      }
      note={speaksFor(service, groups)}
      actions={
        <>
          <Button size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Tokens<span className="sr-only"> of {service.name}</span>
          </Button>
          {mayChange && (
            <Menu items={items}>
              <IconButton icon={MoreHorizontal} label={`Actions for ${service.name}`} hint={false} />
            </Menu>
          )}
        </>
      }
    >
      {isOpen && (
        <TokensOf
          user={service}
          mayChange={mayChange}
          purposes={SERVICE_PURPOSES.filter(
            ({ value }) =>
              (value !== "act_as" || acts) && (value !== "metrics" || SEES_METRICS.has(service.role)),
          )}
        />
      )}
      {suspending.question}
      {asksToDelete && (
        <DeletePerson
          person={service}
          action="Delete service"
          busy={remove.isPending}
          error={remove.error}
          onClose={() => setAsksToDelete(false)}
          onDelete={(leaving) => {
            // Its tokens are not asked for any more.
            setOpen(false);
            // Not by a callback of the mutation: this row is gone by then.
            remove.mutateAsync(leaving).then(
              () => onDeleted(service),
              () => undefined,
            );
          }}
        >
          Its tokens are gone at once, and so are those for whom it speaks. For 14 days it can be brought
          back, without its tokens.
        </DeletePerson>
      )}
    </Row>
  );
}

const SEES_METRICS: ReadonlySet<string> = new Set(["admin", "auditor"]);

function speaksFor({ acts_for, group_id, end_users }: Service, groups: readonly Group[]): string {
  if (acts_for === "nobody") return "Speaks for itself";
  if (acts_for === "end_users") return `Speaks for its own users · ${plural(end_users, "user")} so far`;
  return `Speaks for people of ${groups.find(({ id }) => id === group_id)?.name ?? "a group"}`;
}
