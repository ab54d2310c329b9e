import { type Provider, usePatchProvider } from "@/api/catalog/providers";
import { Button } from "@/ui/Button";
import { Check } from "@/ui/Check";
import { Field } from "@/ui/Field";
import { KeyField } from "../../form/KeyField";
import { SaveForm } from "../../form/SaveForm";
import { useForm } from "../../form/useForm";
import { kindOf } from "./providerTypes";

/** A key can be replaced or removed, and never be read. */
export function EditProvider({ provider, onDone }: { provider: Provider; onDone: () => void }) {
  const patch = usePatchProvider();
  const kind = kindOf(provider.type);
  const form = useForm({
    initial: {
      display_name: provider.display_name,
      base_url: provider.base_url ?? "",
      api_key: "",
      user_keys_allowed: provider.user_keys_allowed,
    },
    save: (values, changed) =>
      patch.mutateAsync({
        id: provider.id,
        display_name: values.display_name.trim(),
        ...(changed.includes("base_url") && { base_url: values.base_url.trim() || null }),
        ...(values.api_key.trim() !== "" && { api_key: values.api_key.trim() }),
        user_keys_allowed: values.user_keys_allowed,
      }),
    onSaved: onDone,
  });
  const removeKey = () => patch.mutate({ id: provider.id, api_key: null }, { onSuccess: onDone });
  return (
    <SaveForm
      form={form}
      label={`Change ${provider.name}`}
      onCancel={onDone}
      more={
        provider.has_api_key && (
          <Button look="danger" busy={patch.isPending} onClick={removeKey}>
            Remove key
          </Button>
        )
      }
    >
      {kind?.key !== "none" && (
        <KeyField
          label={provider.has_api_key ? "New key" : "API key"}
          placeholder={
            provider.has_api_key ? `Leave it empty to keep ${provider.api_key ?? "the key"}` : kind?.keyLooks
          }
          help="It is kept encrypted and never shown again."
          {...form.text("api_key")}
        />
      )}
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Shown as" placeholder={provider.name} {...form.text("display_name")} />
        {kind?.address !== "none" && (
          <Field
            label="Address"
            placeholder={kind?.addressLooks ?? "The usual one"}
            inputMode="url"
            {...form.text("base_url")}
          />
        )}
      </div>
      <Check label="Users may bring their own keys" {...form.check("user_keys_allowed")} />
    </SaveForm>
  );
}
