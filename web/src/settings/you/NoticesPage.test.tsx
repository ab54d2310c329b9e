// @vitest-environment jsdom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { prefer } from "@/lib/kept/preferences";
import { show } from "../../../tests/rendered";
import { NoticesPage } from "./NoticesPage";

afterEach(() => {
  vi.unstubAllGlobals();
  prefer("notice.system", "off");
});

function browserThat(permission: NotificationPermission, answers: NotificationPermission = permission): void {
  const notices = { permission, requestPermission: async () => (notices.permission = answers) };
  vi.stubGlobal("Notification", notices);
}

const box = () => screen.getByRole<HTMLInputElement>("checkbox", { name: "Show a notice of the system" });

test("a browser without notices says so, and nothing can be chosen", () => {
  show(<NoticesPage />);
  expect(box().disabled).toBe(true);
  expect(screen.getByText(/they need https or localhost/)).toBeTruthy();
});

test("one that blocks them says where to allow them", () => {
  browserThat("denied");
  show(<NoticesPage />);
  expect(box().disabled).toBe(true);
  expect(screen.getByText(/This browser blocks notices/)).toBeTruthy();
});

test("they are on when the browser's user agrees, and off again", async () => {
  browserThat("default", "granted");
  show(<NoticesPage />);
  expect(box().checked).toBe(false);
  fireEvent.click(box());
  await waitFor(() => expect(box().checked).toBe(true));
  fireEvent.click(box());
  await waitFor(() => expect(box().checked).toBe(false));
});

test("and stay off when the user does not", async () => {
  browserThat("default", "denied");
  show(<NoticesPage />);
  fireEvent.click(box());
  await screen.findByText(/This browser blocks notices/);
  expect(box().checked).toBe(false);
});
