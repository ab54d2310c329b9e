// @vitest-environment jsdom
import { act, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Deeds } from "@/api/accounts/permits";
import { queries } from "@/api/queries";
import type { Failure } from "@/api/types";
import { NEW_VIEW } from "@/live/view/view";
import { show } from "../../../tests/rendered";
import { StatusCallout } from "./StatusCallout";

const SPEAKER: Deeds = new Set(["chat.speak", "chat.stop"]);
const READER: Deeds = new Set(["chat.read"]);
const NOW = new Date("2027-01-15T12:00:00Z");

beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ["Date", "setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

const failed = (kind: string, more: Partial<Failure> = {}) => {
  const error = { kind, message: "It did not work.", retryable: false, ...more } as Failure;
  const { unmount } = show(
    <StatusCallout chatId="a" deeds={SPEAKER} view={{ ...NEW_VIEW, status: "error", error }} />,
  );
  const shown = {
    title: screen.getByRole("heading").textContent,
    link: screen.queryByRole("link", { name: "Open the settings" })?.getAttribute("href") ?? null,
  };
  unmount();
  return shown;
};

// proves web-ui 37
test("each kind of failure has its title, and a way to the settings where these help", () => {
  queries.setQueryData(["permits", null], { deeds: ["model.change"], public_links: false });
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
      deeds={SPEAKER}
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
    <StatusCallout
      chatId="a"
      deeds={SPEAKER}
      view={retrying(new Date(NOW.getTime() + 5_000).toISOString()) as never}
    />,
  );
  expect(screen.getByRole("status").textContent).toContain("Attempt 3 begins in 5 s.");

  act(() => vi.advanceTimersByTime(4_000));
  expect(screen.getByRole("status").textContent).toContain("Attempt 3 begins in 1 s.");

  rerender(<StatusCallout chatId="a" deeds={SPEAKER} view={{ ...NEW_VIEW, status: "running" }} />);
  expect(screen.queryByRole("status")).toBeNull();
});

test("a moment that is none does no harm", () => {
  show(<StatusCallout chatId="a" deeds={SPEAKER} view={retrying("soon") as never} />);

  expect(screen.getByRole("status").textContent).toContain("Attempt 3 begins now.");
});

test("who may not speak in a chat is offered neither to try again nor to stop", () => {
  const view = { ...NEW_VIEW, status: "error" as const, error: { kind: "auth", message: "No." } as Failure };
  const { rerender } = show(<StatusCallout chatId="a" deeds={READER} view={view} />);
  screen.getByRole("alert");
  expect(screen.queryByRole("button")).toBeNull();

  rerender(<StatusCallout chatId="a" deeds={READER} view={retrying("soon") as never} />);
  screen.getByRole("status");
  expect(screen.queryByRole("button")).toBeNull();
});

test("who may change no models is not sent to their settings", () => {
  queries.setQueryData(["permits", null], { deeds: ["chat.create"], public_links: false });
  expect(failed("missing_key")).toEqual({ title: "A key is missing", link: null });
});
