import { Plus } from "lucide-react";
import { useState } from "react";
import { type ModelView, type Provider, useModelList, useProviders } from "@/api/catalog/providers";
import { Button } from "@/ui/Button";
import { Empty, Loaded } from "../Loaded";
import { Page, Section } from "../Page";
import { Rows } from "../Rows";
import { AddModel } from "./AddModel";
import { ModelRow } from "./ModelRow";
import { AddProvider } from "./providers/AddProvider";
import { ProviderRow } from "./providers/ProviderRow";
import { UnreadableRows } from "./UnreadableRows";

type Adding = "provider" | "model" | null;

export function ModelsPage() {
  const providers = useProviders();
  const models = useModelList();
  const [adding, setAdding] = useState<Adding>(null);
  return (
    <Page
      title="Models and providers"
      about="A provider is a place where models run: a service with a key, or a server of your own. Chats choose among the models that you add."
    >
      <Loaded query={providers} what="Providers">
        {(known) => (
          <Loaded query={models} what="Models">
            {(listed) => (
              <>
                <ModelSection
                  models={listed.models}
                  providers={known.providers}
                  adding={adding}
                  onAdd={setAdding}
                >
                  <UnreadableRows kind="model" unreadable={listed.unreadable ?? []} />
                </ModelSection>
                <ProviderSection
                  providers={known.providers}
                  models={listed.models}
                  adding={adding}
                  onAdd={setAdding}
                >
                  <UnreadableRows kind="provider" unreadable={known.unreadable ?? []} />
                </ProviderSection>
              </>
            )}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

interface SectionProps {
  models: readonly ModelView[];
  providers: readonly Provider[];
  adding: Adding;
  onAdd: (what: Adding) => void;
  children: React.ReactNode;
}

function ModelSection({ models, providers, adding, onAdd, children }: SectionProps) {
  const add = (
    <Button size="small" onClick={() => onAdd("model")} disabled={adding === "model"}>
      <Plus aria-hidden size={15} /> Add model
    </Button>
  );
  return (
    <Section title="Models" actions={add}>
      {adding === "model" && <AddModel providers={providers} models={models} onDone={() => onAdd(null)} />}
      {models.length === 0 ? (
        <Empty>There are no models. Add one to a provider, and chats can use it.</Empty>
      ) : (
        <Rows label="Models">
          {models.map((model) => (
            <ModelRow key={model.id} model={model} />
          ))}
          {children}
        </Rows>
      )}
    </Section>
  );
}

function ProviderSection({ models, providers, adding, onAdd, children }: SectionProps) {
  const add = (
    <Button size="small" onClick={() => onAdd("provider")} disabled={adding === "provider"}>
      <Plus aria-hidden size={15} /> Add provider
    </Button>
  );
  return (
    <Section title="Providers" actions={add}>
      {adding === "provider" && (
        <AddProvider
          taken={providers.map((each) => each.name)}
          onDone={() => onAdd(null)}
          onAdded={() => onAdd("model")}
        />
      )}
      {providers.length === 0 ? (
        <Empty>There are no providers yet.</Empty>
      ) : (
        <Rows label="Providers">
          {providers.map((provider) => (
            <ProviderRow
              key={provider.id}
              provider={provider}
              models={models.filter((model) => model.provider_id === provider.id)}
            />
          ))}
          {children}
        </Rows>
      )}
    </Section>
  );
}
