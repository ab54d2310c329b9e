// @vitest-environment jsdom
import { act, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Failure } from "@/api/types";
import { NEW_VIEW } from "@/live/view/view";
import { show } from "../../../tests/rendered";
import { StatusCallout } from "./StatusCallout";

const NOW = new Date("2027-01-15T12:00:00Z");

beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ["Date", "setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

const failed = (kind: string, more: Partial<Failure> = {}) => {
  const error = { kind, message: "It did not work.", retryable: false, ...more } as Failure;
  const { unmount } = show(<StatusCallout chatId="a" view={{ ...NEW_VIEW, status: "error", error }} />);
  const shown = {
    title: screen.getByRole("heading").textContent,
    link: screen.queryByRole("link", { name: "Open the settings" })?.getAttribute("href") ?? null,
  };
  unmount();
  return shown;
};

// proves web-ui 37
test("each kind of failure has its title, and a way to the settings where these help", () => {
  expect(failed("usage_limit").title).toBe("The usage limit of the provider is reached");
  expect(failed("overloaded").title).toBe("The model is overloaded");
  expect(failed("content_filter").title).toBe("The provider's filter stopped the answer");
  expect(failed("timeout").title).toBe("The model took too long");
  expect(failed("stream_silence_timeout").title).toBe("The model fell silent");
  expect(failed("missing_key")).toEqual({ title: "A key is missing", link: "/settings/models" });
  expect(failed("provider_disabled")).toEqual({
    title: "The provider is switched off",
    link: "/settings/models",
  });
  expect(failed("auth")).toEqual({ title: "The provider refused the key", link: "/settings/models" });
  expect(failed("config")).toEqual({ title: "The model is not set up right", link: "/settings/models" });
  expect(failed("of tomorrow")).toEqual({ title: "The turn failed", link: null });
});

// proves web-ui 37
test("a failure tells the provider, its status, and what it said", () => {
  const error = { kind: "overloaded", message: "Busy.", retryable: true, provider: "acme", status_code: 529 };
  show(
    <StatusCallout
      chatId="a"
      view={{ ...NEW_VIEW, status: "error", error: { ...error, detail: "overloaded_error" } as Failure }}
    />,
  );

  expect(screen.getByRole("alert").textContent).toContain("Busy. (acme, status 529)");
  expect(screen.getByText("overloaded_error").closest("details")?.open).toBe(false);
});

const retrying = (retrying_at: string) => ({
  ...NEW_VIEW,
  status: "running" as const,
  retry: { attempt: 2, error: "Busy.", kind: "overloaded", retrying_at },
});

// proves web-ui 36
test("a retry counts down to its attempt, and is gone when it is over", () => {
  const { rerender } = show(
    <StatusCallout chatId="a" view={retrying(new Date(NOW.getTime() + 5_000).toISOString()) as never} />,
  );
  expect(screen.getByRole("status").textContent).toContain("Attempt 3 begins in 5 s.");

  act(() => vi.advanceTimersByTime(4_000));
  expect(screen.getByRole("status").textContent).toContain("Attempt 3 begins in 1 s.");

  rerender(<StatusCallout chatId="a" view={{ ...NEW_VIEW, status: "running" }} />);
  expect(screen.queryByRole("status")).toBeNull();
});

test("a moment that is none does no harm", () => {
  show(<StatusCallout chatId="a" view={retrying("soon") as never} />);

  expect(screen.getByRole("status").textContent).toContain("Attempt 3 begins now.");
});
