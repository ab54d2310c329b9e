import type { NewToken, WantedToken } from "@/api/accounts/access";
import { Field, Select } from "@/ui/Field";
import { Choice } from "../form/Choice";
import { SaveForm } from "../form/SaveForm";
import { useForm } from "../form/useForm";
import type { Purpose } from "./purposes";

const DAYS: readonly number[] = [7, 30, 90, 365];
const DAYS_USUAL = 90;

interface NewTokenFormProps {
  purposes: readonly Purpose[];
  add: (wanted: WantedToken) => Promise<NewToken>;
  onMade: (token: NewToken) => void;
  onDone: () => void;
}

/** What a token is for, how much it may do, and how long it counts. */
export function NewTokenForm({ purposes, add, onMade, onDone }: NewTokenFormProps) {
  const form = useForm({
    initial: { name: "", purpose: purposes[0]?.value ?? "", days: String(DAYS_USUAL) },
    check: ({ name }): Record<string, string> =>
      name.trim() === "" ? { name: "Say in a few words what it is for." } : {},
    save: async ({ name, purpose, days }) => {
      const scopes = purposes.find((each) => each.value === purpose)?.scopes;
      onMade(await add({ name: name.trim(), days: Number(days), ...(scopes && { scopes }) }));
    },
    onSaved: onDone,
  });
  return (
    <div className="rounded-lg border border-line p-4">
      <SaveForm form={form} label="New token" save="Make token" onCancel={onDone}>
        <Field label="What it is for" placeholder="Script on my laptop" {...form.text("name")} />
        <Choice
          label="What it may do"
          options={purposes}
          value={form.values.purpose}
          onChange={(purpose) => form.set({ purpose })}
        />
        <Select
          label="It ends after"
          value={form.values.days}
          onChange={(event) => form.set({ days: event.target.value })}
        >
          {DAYS.map((days) => (
            <option key={days} value={days}>
              {days} days
            </option>
          ))}
        </Select>
      </SaveForm>
    </div>
  );
}
