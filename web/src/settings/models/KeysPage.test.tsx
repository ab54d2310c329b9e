// @vitest-environment jsdom
import { fireEvent, screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { Tooltips } from "@/ui/overlay/Tooltip";
import { show } from "../../../tests/rendered";
import { json, refusal, server } from "../../../tests/server";
import { KeysPage } from "./KeysPage";

const key = (provider: string, has: { mine?: boolean; theirs?: boolean; allowed?: boolean }) => ({
  provider_id: provider,
  provider,
  user_keys_allowed: has.allowed ?? true,
  has_user_api_key: has.mine ?? false,
  has_provider_api_key: has.theirs ?? false,
});

const rowOf = async (provider: string) => {
  const row = (await screen.findByText(provider)).closest("li");
  if (row === null) throw new Error(`${provider} has no row`);
  return within(row);
};

test("whose key counts is told for each provider", async () => {
  server(() =>
    json({
      keys: [
        key("none", {}),
        key("mine", { mine: true }),
        key("both", { mine: true, theirs: true }),
        key("theirs", { theirs: true }),
        key("closed", { allowed: false, theirs: true }),
      ],
    }),
  );
  show(<KeysPage />);
  expect((await rowOf("none")).getByText("Key needed")).toBeTruthy();
  expect((await rowOf("mine")).getByText("Without it, its models cannot be used.")).toBeTruthy();
  expect((await rowOf("both")).getByText("Without it, the server's key is used.")).toBeTruthy();
  expect((await rowOf("theirs")).getByText("The server's key")).toBeTruthy();
  expect(screen.queryByText("closed")).toBeNull();
});

test("where no provider takes keys of users, it is said who decides that", async () => {
  server(() => json({ keys: [] }));
  show(<KeysPage />);
  await screen.findByText(/Administrators decide that/);
});

test("a key that is refused stays in its field, with the reason", async () => {
  server(({ what }) =>
    what.startsWith("PUT") ? refusal(422, "A key has no blanks.") : json({ keys: [key("none", {})] }),
  );
  show(
    <Tooltips>
      <KeysPage />
    </Tooltips>,
  );
  const row = await rowOf("none");
  fireEvent.click(row.getByRole("button", { name: "Enter key" }));
  const field = row.getByLabelText<HTMLInputElement>("Your key");
  fireEvent.change(field, { target: { value: "a b" } });
  fireEvent.submit(field);
  await row.findByText(/A key has no blanks/);
  expect(field.value).toBe("a b");
});
