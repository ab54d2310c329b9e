import { ArrowLeft } from "lucide-react";
import { Suspense, useEffect } from "react";
import { Link, Redirect, Route, Switch, useLocation } from "wouter";
import { usePermits } from "@/api/accounts/permits";
import { Spinner } from "@/ui/Spinner";
import { Page } from "./Page";
import { ALL_PAGES, FIRST_PAGE, type SettingsPage } from "./pages";
import { SettingsList } from "./SettingsList";

/** Everything below /settings; loaded when it is first opened. */
export default function SettingsPages() {
  const [location] = useLocation();
  const open = ALL_PAGES.find((page) => location.endsWith(`/settings/${page.path}`));
  useEffect(() => {
    document.title = open ? `${open.label} · Settings · chatd` : "Settings · chatd";
  }, [open]);
  return (
    <div className="flex min-h-0 flex-1">
      <SettingsList open={open?.path ?? null} />
      <main
        className={open ? "min-w-0 flex-1 overflow-y-auto" : "hidden min-w-0 flex-1 overflow-y-auto md:block"}
      >
        {open && (
          <Link
            href="/settings"
            className="flex items-center gap-1.5 px-4 pt-4 text-sm text-muted hover:text-text md:hidden"
          >
            <ArrowLeft aria-hidden size={15} /> All settings
          </Link>
        )}
        <Suspense fallback={<Spinner label="Loading" className="m-8" />}>
          <Switch>
            {ALL_PAGES.map((page) => (
              <Route key={page.path} path={`/settings/${page.path}`}>
                <Allowed page={page} />
              </Route>
            ))}
            <Route path="/settings">
              <Beginning />
            </Route>
            <Route>
              <Redirect to="/settings" replace />
            </Route>
          </Switch>
        </Suspense>
      </main>
    </div>
  );
}

/** Beside the list there is always a page open; on phones the list is the page. */
function Beginning() {
  return window.matchMedia("(min-width: 48rem)").matches ? (
    <Redirect to={`/settings/${FIRST_PAGE}`} replace />
  ) : null;
}

function Allowed({ page: { needs, page: Content } }: { page: SettingsPage }) {
  const permits = usePermits();
  if (needs === undefined || (permits.data?.has(needs) ?? true)) return <Content />;
  return (
    <Page title="For administrators">
      <p className="text-sm text-muted">
        This page is for administrators. Ask one of them if something should be different for all users.
      </p>
    </Page>
  );
}
