import { type ProviderType, useAddProvider } from "@/api/catalog/providers";
import { Check } from "@/ui/Check";
import { Field, Select } from "@/ui/Field";
import { KeyField } from "../../form/KeyField";
import { SaveForm } from "../../form/SaveForm";
import { useForm } from "../../form/useForm";
import {
  EXTRA_FIELDS,
  freeName,
  KINDS,
  kindOf,
  type ProviderKind,
  type ProviderValues,
  problemsOf,
  settingsOf,
} from "./providerTypes";

interface AddProviderProps {
  /** Names that other providers have. */
  taken: readonly string[];
  onDone: () => void;
  /** Instead of onDone, when nothing is to be added. */
  onCancel?: () => void;
  /** It is there; a model is what it lacks now. */
  onAdded?: (provider: string) => void;
}

const FIRST = KINDS[0] as ProviderKind;

export function AddProvider({ taken, onDone, onCancel = onDone, onAdded }: AddProviderProps) {
  const add = useAddProvider();
  const form = useForm<ProviderValues>({
    initial: {
      type: FIRST.type,
      name: freeName(FIRST.name, taken),
      display_name: "",
      base_url: "",
      api_key: "",
      user_keys_allowed: false,
      region: "",
      project: "",
      location: "",
      api_version: "",
    },
    check: (values) => problemsOf(values, kindOf(values.type) ?? FIRST),
    save: (values) =>
      add.mutateAsync({
        type: values.type,
        name: values.name,
        display_name: values.display_name.trim(),
        base_url: values.base_url.trim() || null,
        api_key: values.api_key.trim() || null,
        user_keys_allowed: values.user_keys_allowed,
        settings: settingsOf(values, kindOf(values.type) ?? FIRST),
      }),
    onSaved: (values) => {
      onDone();
      onAdded?.(values.name);
    },
  });
  const kind = kindOf(form.values.type) ?? FIRST;
  const choose = (type: ProviderType) =>
    form.set({
      type,
      name: freeName(kindOf(type)?.name ?? type, taken),
      base_url: "",
      api_key: form.values.api_key,
    });
  return (
    <div className="rounded-lg border border-line p-4">
      <SaveForm form={form} label="Add a provider" save="Add provider" onCancel={onCancel}>
        <div className="grid gap-3 sm:grid-cols-2">
          <Select
            label="Type"
            help={kind.help}
            value={form.values.type}
            onChange={(event) => choose(event.target.value as ProviderType)}
          >
            {KINDS.map(({ type, label }) => (
              <option key={type} value={type}>
                {label}
              </option>
            ))}
          </Select>
          <Field
            label="Name"
            help="The first half of the names of its models. It cannot be changed later."
            {...form.text("name")}
          />
        </div>
        {kind.address !== "none" && (
          <Field
            label={kind.address === "needed" ? "Address" : "Address (optional)"}
            help={kind.address === "needed" ? undefined : "Leave it empty for the usual one."}
            inputMode="url"
            placeholder={kind.addressLooks}
            {...form.text("base_url")}
          />
        )}
        {kind.key !== "none" && (
          <KeyField
            label={kind.key === "needed" ? "API key" : "API key (optional)"}
            placeholder={kind.keyLooks}
            help="It is kept encrypted and never shown again."
            {...form.text("api_key")}
          />
        )}
        {kind.extra.length > 0 && (
          <div className="grid gap-3 sm:grid-cols-2">
            {kind.extra.map((name) => (
              <Field key={name} {...EXTRA_FIELDS[name]} {...form.text(name)} />
            ))}
          </div>
        )}
        {kind.key !== "none" && (
          <Check
            label="Users may bring their own keys"
            help="A key of their own then counts before this one."
            {...form.check("user_keys_allowed")}
          />
        )}
      </SaveForm>
    </div>
  );
}
