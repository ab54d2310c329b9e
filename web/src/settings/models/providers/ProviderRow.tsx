import { Ellipsis, KeyRound, Power, Trash2 } from "lucide-react";
import { useState } from "react";
import { type ModelView, type Provider, useDeleteProvider, usePatchProvider } from "@/api/catalog/providers";
import { sentence } from "@/api/errors";
import { plural } from "@/lib/text/words";
import { IconButton } from "@/ui/IconButton";
import { Menu } from "@/ui/overlay/Menu";
import { toast } from "@/ui/overlay/Toast";
import { Confirm } from "../../form/Confirm";
import { Mark, Row } from "../../Rows";
import { EditProvider } from "./EditProvider";
import { kindOf } from "./providerTypes";

interface ProviderRowProps {
  provider: Provider;
  /** Its own. */
  models: readonly ModelView[];
}

export function ProviderRow({ provider, models }: ProviderRowProps) {
  const [open, setOpen] = useState<"edit" | "delete" | null>(null);
  const patch = usePatchProvider();
  const shown = provider.display_name || provider.name;
  const failed = (error: unknown) => toast({ text: sentence(error), bad: true });
  return (
    <Row
      title={shown}
      marks={<ProviderMarks provider={provider} />}
      note={noteOf(provider, models)}
      actions={
        !provider.declared && (
          <Menu
            items={[
              { label: "Key and address", icon: KeyRound, onSelect: () => setOpen("edit") },
              {
                label: provider.enabled ? "Switch off" : "Switch on",
                icon: Power,
                onSelect: () =>
                  patch.mutate({ id: provider.id, enabled: !provider.enabled }, { onError: failed }),
              },
              "line",
              { label: "Delete", icon: Trash2, danger: true, onSelect: () => setOpen("delete") },
            ]}
          >
            <IconButton icon={Ellipsis} label={`Actions of ${shown}`} hint={false} />
          </Menu>
        )
      }
    >
      {open === "edit" && <EditProvider provider={provider} onDone={() => setOpen(null)} />}
      {open === "delete" && (
        <DeleteProvider provider={provider} models={models} onClose={() => setOpen(null)} />
      )}
    </Row>
  );
}

function ProviderMarks({ provider }: { provider: Provider }) {
  const needsKey = kindOf(provider.type)?.key === "needed";
  return (
    <>
      {!provider.enabled && <Mark>Off</Mark>}
      {provider.has_api_key && <Mark look="good">Key {provider.api_key ?? "set"}</Mark>}
      {!provider.has_api_key && needsKey && <Mark look="warn">No key</Mark>}
      {provider.user_keys_allowed && <Mark>Own keys allowed</Mark>}
      {provider.declared && <Mark>From the server's configuration</Mark>}
    </>
  );
}

function noteOf(provider: Provider, models: readonly ModelView[]): string {
  const kind =
    provider.type === "scripted" ? "A model for trying things out, without AI" : kindOf(provider.type)?.label;
  const count = models.length === 0 ? "no models" : plural(models.length, "model");
  return [kind ?? provider.type, count, provider.base_url].filter(Boolean).join(" · ");
}

function DeleteProvider({ provider, models, onClose }: ProviderRowProps & { onClose: () => void }) {
  const remove = useDeleteProvider();
  return (
    <Confirm
      title={`Delete ${provider.display_name || provider.name}?`}
      action="Delete provider"
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate(provider.id, { onSuccess: onClose })}
    >
      <p>
        Its key is forgotten, and so are keys that users have entered for it.
        {models.length > 0 &&
          ` ${plural(models.length, "model")} will be gone: ${models.map((model) => model.name).join(", ")}. Chats that use one go on with the default model.`}
      </p>
    </Confirm>
  );
}
