import { Plus } from "lucide-react";
import { useState } from "react";
import {
  type ActsFor,
  type Service,
  useAddService,
  useAddServiceToken,
  useDeleteService,
  useServices,
} from "@/api/accounts/people";
import { usePermits } from "@/api/accounts/permits";
import { sentence } from "@/api/errors";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { toast } from "@/ui/overlay/Toast";
import { Secret } from "@/ui/Secret";
import { Choice } from "../form/Choice";
import { Confirm } from "../form/Confirm";
import { SaveForm } from "../form/SaveForm";
import { useForm } from "../form/useForm";
import { Empty, Loaded } from "../Loaded";
import { Page } from "../Page";
import { Mark, Row, Rows } from "../Rows";

/** For whom a service speaks. A group has to be named, which the command line does. */
const ACTS_FOR: Readonly<Record<ActsFor, string>> = {
  nobody: "For itself",
  end_users: "For its own users",
  group: "For the people of a group",
};
const OPTIONS = (["nobody", "end_users"] as const).map((value) => ({ value, label: ACTS_FOR[value] }));

/** Programs with tokens of their own. */
export default function ServicesPage() {
  const [isAdding, setAdding] = useState(false);
  const mayChange = usePermits().data?.has("service.change") ?? false;
  return (
    <Page
      title="Services"
      about="A service is a program: a product that has agents work for its own users, or what reads the metrics."
      actions={
        mayChange && (
          <Button size="small" disabled={isAdding} onClick={() => setAdding(true)}>
            <Plus aria-hidden size={15} /> New service
          </Button>
        )
      }
    >
      {isAdding && <AddService onDone={() => setAdding(false)} />}
      <Loaded query={useServices()} what="Services">
        {({ services }) =>
          services.length === 0 ? (
            <Empty>There are no services. Add one when a product of yours should use this server.</Empty>
          ) : (
            <Rows label="Services">
              {services.map((service) => (
                <ServiceRow key={service.id} service={service} mayChange={mayChange} />
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Page>
  );
}

function AddService({ onDone }: { onDone: () => void }) {
  const add = useAddService();
  const form = useForm({
    initial: { name: "", acts_for: "end_users" as "nobody" | "end_users" },
    check: ({ name }): Record<string, string> => (name.trim() === "" ? { name: "Give it a name." } : {}),
    save: ({ name, acts_for }) => add.mutateAsync({ name: name.trim(), acts_for }),
    onSaved: onDone,
  });
  return (
    <div className="rounded-lg border border-line p-4">
      <SaveForm form={form} label="New service" save="Add service" onCancel={onDone}>
        <Field label="Name" placeholder="shop" {...form.text("name")} />
        <Choice
          label="It speaks"
          options={OPTIONS}
          value={form.values.acts_for}
          onChange={(acts_for) => form.set({ acts_for })}
        />
      </SaveForm>
    </div>
  );
}

function ServiceRow({ service, mayChange }: { service: Service; mayChange: boolean }) {
  const [isDeleting, setDeleting] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const remove = useDeleteService();
  const add = useAddServiceToken();
  const acts = service.acts_for !== "nobody";
  const makeToken = () =>
    add.mutate(
      {
        id: service.id,
        name: "for the service",
        scopes: [
          "chats:read",
          "chats:write",
          "files:write",
          "models:read",
          ...(acts ? ["act_as" as const] : []),
        ],
      },
      {
        onSuccess: ({ token }) => setSecret(token),
        onError: (error) => toast({ text: sentence(error), bad: true }),
      },
    );
  return (
    <Row
      title={service.display_name || service.name}
      marks={service.suspended_at !== null && <Mark look="warn">Suspended</Mark>}
      note={`${ACTS_FOR[service.acts_for]}${service.acts_for === "end_users" ? ` · ${service.end_users} so far` : ""}`}
      actions={
        mayChange && (
          <>
            <Button size="small" busy={add.isPending} onClick={makeToken}>
              New token<span className="sr-only"> for {service.name}</span>
            </Button>
            <Button
              size="small"
              look="danger"
              aria-label={`Delete ${service.name}`}
              onClick={() => setDeleting(true)}
            >
              Delete
            </Button>
          </>
        )
      }
    >
      {secret && (
        <Secret secret={secret} what="token" onClose={() => setSecret(null)}>
          {`This token lets ${service.name} in for 90 days. Copy it now: it is not shown again.`}
        </Secret>
      )}
      {isDeleting && (
        <Confirm
          title={`Delete ${service.name}?`}
          action="Delete service"
          busy={remove.isPending}
          error={remove.error}
          onClose={() => setDeleting(false)}
          onConfirm={() => remove.mutate(service.id, { onSuccess: () => setDeleting(false) })}
        >
          <p>Its tokens are gone at once, and so are those for whom it speaks.</p>
        </Confirm>
      )}
    </Row>
  );
}
