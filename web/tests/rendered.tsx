import { QueryClientProvider } from "@tanstack/react-query";
import { cleanup, configure, render } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach } from "vitest";
import { queries } from "@/api/queries";

// Generous: nothing that is waited for takes as long, also on a busy machine.
configure({ asyncUtilTimeout: 30_000 });

afterEach(() => {
  cleanup();
  queries.clear();
});

export function Around({ children }: { children: ReactNode }) {
  return <QueryClientProvider client={queries}>{children}</QueryClientProvider>;
}

/** On the page, with what the server owns around it. Nothing of it is left after the test. */
export const show = (element: ReactNode) => render(element, { wrapper: Around });
