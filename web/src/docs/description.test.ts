import { expect, test } from "vitest";
import { type Description, tryable, withoutSecret } from "./description";

const DESCRIBED: Description & { openapi: string } = {
  openapi: "3.1.0",
  paths: {
    "/api/v1/chats": { get: { security: [{ token: [] }, { cookie: [] }] }, put: {} },
    "/api/v1/public/chat": { get: { security: [{ guest: [] }] } },
  },
  components: { securitySchemes: { token: {}, cookie: {}, guest: {} } },
};

test("what is tried out is asked where the page is, and never with a cookie", () => {
  expect(tryable(DESCRIBED, new URL("https://host.example/a/path/"))).toEqual({
    openapi: "3.1.0",
    servers: [{ url: "https://host.example/a/path" }],
    paths: {
      "/api/v1/chats": { get: { security: [{ token: [] }] }, put: {} },
      "/api/v1/public/chat": { get: { security: [{ guest: [] }] } },
    },
    components: { securitySchemes: { token: {}, guest: {} } },
  });
});

test("neither a token nor a code is shown, however it was typed", () => {
  const typed = ["Bearer secret", "Guest secret", "secret"];
  expect(typed.map(withoutSecret)).toEqual(["Bearer TOKEN", "Guest CODE", "Guest CODE"]);
});
