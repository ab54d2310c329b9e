import { lazy, Suspense } from "react";
import { Route, Switch } from "wouter";
import { Spinner } from "@/ui/Spinner";
import { Layout } from "./Layout";

const SettingsPages = lazy(() => import("@/settings/SettingsPages"));

/** Every address of the page. */
export function Routes() {
  return (
    <Layout>
      <Suspense fallback={<Spinner label="Loading" className="m-auto" />}>
        <Switch>
          <Route path="/" component={Nothing} />
          <Route path="/chats/:id">{({ id }) => <p>{id}</p>}</Route>
          <Route path="/settings/*?" component={SettingsPages} />
          <Route component={Nothing} />
        </Switch>
      </Suspense>
    </Layout>
  );
}

function Nothing() {
  return <p className="m-auto text-muted">Choose a chat, or start one.</p>;
}
