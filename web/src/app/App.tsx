import { QueryClientProvider } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { Route, Router, Switch } from "wouter";
import { queries } from "@/api/queries";
import { ROOT_PATH } from "@/lib/browser/base";
import { forgetOldDrafts } from "@/lib/kept/draft";
import { Boundary } from "@/ui/boundary/Boundary";
import { Toasts } from "@/ui/overlay/Toast";
import { Tooltips } from "@/ui/overlay/Tooltip";
import { Routes } from "./Routes";

const GuestPage = lazy(() => import("@/guest/GuestPage"));

forgetOldDrafts();

/** The page: what all of it shares, around the one that is open. */
export function App() {
  return (
    <QueryClientProvider client={queries}>
      <Router base={ROOT_PATH}>
        <Tooltips>
          <Boundary what="The page">
            <Switch>
              {/* Before it is asked who is there: guests have no user. */}
              <Route path="/s">
                <Suspense>
                  <GuestPage />
                </Suspense>
              </Route>
              <Route component={Routes} />
            </Switch>
          </Boundary>
          <Toasts />
        </Tooltips>
      </Router>
    </QueryClientProvider>
  );
}
