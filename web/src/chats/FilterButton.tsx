import { ListFilter } from "lucide-react";
import { useState } from "react";
import type { Filters } from "@/api/chats/chats";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { IconButton } from "@/ui/IconButton";
import { Popover } from "@/ui/overlay/Popover";
import { isFiltered, NO_FILTERS } from "./filters";
import type { Grouping } from "./list/sections";

interface FilterButtonProps {
  filters: Filters;
  grouping: Grouping;
  onApply: (filters: Filters, grouping: Grouping) => void;
}

/** What is chosen counts when it is applied, all at once. */
export function FilterButton({ filters, grouping, onApply }: FilterButtonProps) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      label="Filter chats"
      open={open}
      onOpenChange={setOpen}
      className="w-64"
      trigger={<IconButton icon={ListFilter} label="Filter chats" aria-pressed={isFiltered(filters)} />}
    >
      <FilterForm
        filters={filters}
        grouping={grouping}
        onApply={(next, wanted) => {
          onApply(next, wanted);
          setOpen(false);
        }}
      />
    </Popover>
  );
}

function FilterForm({ filters, grouping, onApply }: FilterButtonProps) {
  const [staged, setStaged] = useState(filters);
  const [isUnreadFirst, setUnreadFirst] = useState(grouping === "unread");
  const [label, setLabel] = useState(filters.labels.join(", "));
  const labels = label.split(",").flatMap((each) => each.trim().replace(/:\s+/, ":") || []);
  return (
    <form
      className="flex flex-col gap-3 text-sm"
      onSubmit={(event) => {
        event.preventDefault();
        onApply({ ...staged, labels }, isUnreadFirst ? "unread" : "date");
      }}
    >
      <Choice
        label="Shared with you"
        checked={staged.shared}
        onChange={(shared) => setStaged({ ...staged, shared })}
      />
      <Choice
        label="Archived chats"
        checked={staged.archived}
        onChange={(archived) => setStaged({ ...staged, archived })}
      />
      <Choice
        label="Only unread"
        checked={staged.unread}
        onChange={(unread) => setStaged({ ...staged, unread })}
      />
      <Field
        label="With the labels"
        placeholder="project:website"
        value={label}
        onChange={(event) => setLabel(event.target.value)}
      />
      <Choice label="Unread first" checked={isUnreadFirst} onChange={setUnreadFirst} />
      <div className="flex justify-between">
        <Button look="quiet" size="small" onClick={() => onApply(NO_FILTERS, grouping)}>
          Show all
        </Button>
        <Button type="submit" look="primary" size="small">
          Apply
        </Button>
      </div>
    </form>
  );
}

function Choice({
  label,
  checked,
  onChange,
}: {
  label: string;
  checked: boolean;
  onChange: (on: boolean) => void;
}) {
  return (
    <label className="flex items-center gap-2">
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        className="size-4 accent-accent"
      />
      {label}
    </label>
  );
}
