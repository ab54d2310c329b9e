import { useModelList } from "@/api/catalog/providers";
import type { ChildModel } from "@/api/catalog/settings";
import type { Effort } from "@/api/types";
import { Select } from "@/ui/Field";
import { EffortSelect } from "./ModelSelect";
import type { Form } from "./useForm";

/** Each is empty, `chat`, or a ChildModel as JSON. */
export interface SubagentValues {
  general: string;
  explore: string;
}

export const subagentOf = (value: string): ChildModel => JSON.parse(value) as ChildModel;

const TYPES = [
  { name: "general", label: "General", help: "Do parts of the work by themselves." },
  { name: "explore", label: "Explore", help: "Only look things up. A smaller model is often enough." },
] as const;

interface SubagentFieldsProps {
  form: Form<SubagentValues>;
  none: string;
  /** Whether the model of the chat is a choice of its own. */
  chat?: boolean;
}

export function SubagentFields({ form, none, chat = false }: SubagentFieldsProps) {
  const models = useModelList().data?.models.filter((model) => model.enabled) ?? [];
  return TYPES.map(({ name, label, help }) => {
    const value = form.values[name];
    const child = value === "" || value === "chat" ? null : subagentOf(value);
    const isGone = child !== null && !models.some((model) => model.name === child.model);
    const choose = (model: string) =>
      form.set({ [name]: model === "" || model === "chat" ? model : JSON.stringify({ model }) });
    const think = (effort: Effort | "") =>
      child && form.set({ [name]: JSON.stringify({ model: child.model, reasoning_effort: effort || null }) });
    return (
      <div key={name} className="grid gap-3 sm:grid-cols-2">
        <Select
          label={label}
          help={help}
          error={form.errorOf(name)}
          value={child?.model ?? value}
          onChange={(event) => choose(event.target.value)}
        >
          <option value="">{none}</option>
          {chat && <option value="chat">The model of the chat</option>}
          {isGone && <option value={child.model}>{child.model} (gone)</option>}
          {models.map((model) => (
            <option key={model.id} value={model.name}>
              {model.display_name || model.name}
            </option>
          ))}
        </Select>
        {child && (
          <EffortSelect
            label={`Effort of ${label.toLowerCase()} agents`}
            model={child.model}
            value={child.reasoning_effort ?? ""}
            onChange={think}
          />
        )}
      </div>
    );
  });
}
