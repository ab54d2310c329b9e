import { lazy, Suspense } from "react";
import { Link, Redirect, Route, Switch, useLocation } from "wouter";
import { useAccount } from "@/api/accounts/account";
import { sentence } from "@/api/errors";
import { NewChatPage } from "@/chat/new/NewChatPage";
import { useIsPhone } from "@/lib/browser/useMedia";
import { Button } from "@/ui/Button";
import { Boundary } from "@/ui/boundary/Boundary";
import { Spinner } from "@/ui/Spinner";
import { ChatRoute } from "./ChatRoute";
import { Layout } from "./Layout";
import { SignInPage } from "./SignInPage";

const FirstContact = lazy(() => import("@/settings/first/FirstContact"));
const SettingsPages = lazy(() => import("@/settings/SettingsPages"));

/** Every address of the page. Who is not signed in sees only the one for that. */
export function Routes() {
  const { data: account, error, isPending, refetch } = useAccount();
  const [location] = useLocation();
  if (isPending) return <Waiting />;
  if (error && !account) {
    return (
      <main className="mx-auto flex h-full max-w-md flex-col items-start justify-center gap-3 p-4 text-sm">
        <p role="alert">{sentence(error)}</p>
        <Button onClick={() => void refetch()}>Try again</Button>
      </main>
    );
  }
  if (!account) return <SignInPage />;
  if (location === "/sign-in") return <Redirect to="/" replace />;
  return (
    <Layout>
      <Boundary what="This page" of={location}>
        <Suspense fallback={<Waiting />}>
          <Pages />
        </Suspense>
      </Boundary>
    </Layout>
  );
}

function Pages() {
  const isPhone = useIsPhone();
  return (
    <Switch>
      <Route path="/">{isPhone ? null : <NewChat />}</Route>
      <Route path="/new" component={NewChat} />
      <Route path="/chats/:id">{({ id }) => <ChatRoute key={id} chatId={id} />}</Route>
      <Route path="/settings/*?" component={SettingsPages} />
      <Route>
        <main className="m-auto flex flex-col items-center gap-2 p-4 text-muted">
          <h1>There is nothing at this address.</h1>
          <Link href="/" className="underline">
            Start a chat
          </Link>
        </main>
      </Route>
    </Switch>
  );
}

/** Nothing waits for the first steps: they come below the field when they are there. */
function NewChat() {
  return (
    <NewChatPage
      firstSteps={
        <Boundary what="The first steps" otherwise={null}>
          <Suspense>
            <FirstContact />
          </Suspense>
        </Boundary>
      }
    />
  );
}

function Waiting() {
  return (
    <div className="flex h-full flex-1 items-center justify-center">
      <Spinner label="Loading" />
    </div>
  );
}
