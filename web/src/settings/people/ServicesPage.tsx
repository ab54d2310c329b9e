import { Plus } from "lucide-react";
import { useState } from "react";
import { type Deleted, useGroups, useServices } from "@/api/accounts/people";
import { usePermits } from "@/api/accounts/permits";
import { Button } from "@/ui/Button";
import { Empty, Loaded, More } from "../Loaded";
import { Page } from "../Page";
import { Rows } from "../Rows";
import { AddService } from "./AddService";
import { BringBack } from "./BringBack";
import { ServiceRow } from "./ServiceRow";

/** Programs with tokens of their own. */
export default function ServicesPage() {
  const [isAdding, setAdding] = useState(false);
  const [deleted, setDeleted] = useState<Deleted | null>(null);
  const mayChange = usePermits().data?.has("service.change") ?? false;
  const found = useServices();
  const groups = useGroups().data ?? [];
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
      {deleted && <BringBack deleted={deleted} onClose={() => setDeleted(null)} />}
      <Loaded query={found} what="Services">
        {({ pages }) => {
          const services = pages.flatMap((page) => page.services);
          return services.length === 0 ? (
            <Empty>There are no services. Add one when a product of yours should use this server.</Empty>
          ) : (
            <>
              <Rows label="Services">
                {services.map((service) => (
                  <ServiceRow
                    key={service.id}
                    service={service}
                    groups={groups}
                    mayChange={mayChange}
                    onDeleted={setDeleted}
                  />
                ))}
              </Rows>
              <More query={found} />
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}
