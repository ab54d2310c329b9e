// @vitest-environment jsdom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import type { McpServer } from "@/api/catalog/mcp";
import { show } from "../../../tests/rendered";
import { json, refusal, server } from "../../../tests/server";
import { SignIn } from "./SignIn";

const SERVER = { id: "s", slug: "tracker", auth_type: "oauth2", auth_connected: false } as McpServer;
const ADDRESS = "https://sign-in.example/authorize?state=x";

const finish = (code: string) => {
  fireEvent.change(screen.getByRole("textbox", { name: /^The code/ }), { target: { value: code } });
  fireEvent.click(screen.getByRole("button", { name: "Finish" }));
};

test("a sign-in is finished with the code that the other page shows", async () => {
  const open = vi.spyOn(window, "open").mockReturnValue(null);
  const asked = server(({ what }) =>
    what.endsWith("/connect") ? json({ authorization_url: ADDRESS, expires_in_seconds: 600 }) : json(SERVER),
  );
  show(<SignIn server={SERVER} />);

  fireEvent.click(screen.getByRole("button", { name: "Sign in" }));
  await screen.findByRole("textbox", { name: /^The code/ });
  expect(open).toHaveBeenCalledWith(ADDRESS, "_blank", "noopener,noreferrer");
  finish(" ABCD-1234 ");

  await waitFor(() => expect(asked).toHaveLength(2));
  expect(asked[1]).toMatchObject({
    what: "POST /api/v1/mcp-servers/s/oauth2/finish",
    body: { code: "ABCD-1234" },
  });
});

test("a code that is not right is told of, and can be typed again", async () => {
  vi.spyOn(window, "open").mockReturnValue(null);
  server(({ what }) =>
    what.endsWith("/connect")
      ? json({ authorization_url: ADDRESS, expires_in_seconds: 600 })
      : refusal(400, "This code is not known."),
  );
  show(<SignIn server={SERVER} />);
  fireEvent.click(screen.getByRole("button", { name: "Sign in" }));
  await screen.findByRole("textbox", { name: /^The code/ });

  finish("wrong");

  expect((await screen.findByRole("alert")).textContent).toBe("This code is not known.");
  expect(screen.getByRole("textbox", { name: /^The code/ })).toHaveProperty("value", "wrong");
});
