import { useState } from "react";
import { useDeleteOwnKey, useOwnKeys, usePutOwnKey } from "@/api/catalog/providers";
import { sentence } from "@/api/errors";
import type { components } from "@/api/types.gen";
import { Button } from "@/ui/Button";
import { toast } from "@/ui/overlay/Toast";
import { KeyField } from "../form/KeyField";
import { SaveForm } from "../form/SaveForm";
import { useForm } from "../form/useForm";
import { Empty, Loaded } from "../Loaded";
import { Page } from "../Page";
import { Mark, Row, Rows } from "../Rows";

type OwnKey = components["schemas"]["KeyView"];

export function KeysPage() {
  return (
    <Page
      title="Your keys"
      about="Where a provider allows it, your chats use a key of your own instead of the server's. Keys are kept encrypted and never shown again."
    >
      <Loaded query={useOwnKeys()} what="Your keys">
        {({ keys }) => {
          const own = keys.filter((key) => key.user_keys_allowed || key.has_user_api_key);
          if (own.length === 0)
            return <Empty>No provider of this server takes keys of users. Administrators decide that.</Empty>;
          return (
            <Rows label="Providers">
              {own.map((key) => (
                <KeyRow key={key.provider_id} own={key} />
              ))}
            </Rows>
          );
        }}
      </Loaded>
    </Page>
  );
}

function KeyRow({ own }: { own: OwnKey }) {
  const [isOpen, setOpen] = useState(false);
  const remove = useDeleteOwnKey();
  const failed = (error: unknown) => toast({ text: sentence(error), bad: true });
  return (
    <Row
      title={own.provider}
      marks={
        own.has_user_api_key ? (
          <Mark look="good">Your key</Mark>
        ) : own.has_provider_api_key ? (
          <Mark>The server's key</Mark>
        ) : (
          <Mark look="warn">Key needed</Mark>
        )
      }
      note={noteOf(own)}
      actions={
        <>
          {own.user_keys_allowed && !isOpen && (
            <Button size="small" onClick={() => setOpen(true)}>
              {own.has_user_api_key ? "Replace" : "Enter key"}
            </Button>
          )}
          {own.has_user_api_key && (
            <Button
              size="small"
              look="danger"
              busy={remove.isPending}
              onClick={() => remove.mutate(own.provider, { onError: failed })}
            >
              Remove
            </Button>
          )}
        </>
      }
    >
      {isOpen && <KeyForm provider={own.provider} onDone={() => setOpen(false)} />}
    </Row>
  );
}

function noteOf(own: OwnKey): string {
  if (own.has_user_api_key)
    return own.has_provider_api_key
      ? "Without it, the server's key is used."
      : "Without it, its models cannot be used.";
  return own.has_provider_api_key
    ? "Yours would count before it."
    : "Its models can be used once you enter one.";
}

function KeyForm({ provider, onDone }: { provider: string; onDone: () => void }) {
  const put = usePutOwnKey();
  const form = useForm({
    initial: { api_key: "" },
    check: ({ api_key }) =>
      (api_key.trim() === "" ? { api_key: "Enter the key." } : {}) as Record<string, string>,
    save: ({ api_key }) => put.mutateAsync({ provider, api_key: api_key.trim() }),
    onSaved: onDone,
  });
  return (
    <SaveForm form={form} label={`Key for ${provider}`} onCancel={onDone}>
      <KeyField label="Your key" {...form.text("api_key")} />
    </SaveForm>
  );
}
