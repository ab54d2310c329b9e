import { expect, test } from "vitest";
import { errorOf, sentence } from "./errors";

const answered = (status: number, body: string) => errorOf(new Response(body, { status }));

test("the server's own sentence and hint are kept", async () => {
  const body = { error: { code: "not_found", message: "There is no such chat.", hint: "List your chats." } };

  const error = await answered(404, JSON.stringify(body));

  expect(error).toMatchObject({ status: 404, code: "not_found", field: null });
  expect(sentence(error)).toBe("There is no such chat. List your chats.");
});

test("what a proxy wrote becomes a sentence too", async () => {
  for (const body of ["<html>Bad gateway</html>", "", "[]", '{"error": "no"}']) {
    expect(sentence(await answered(502, body))).toBe("The server answered with status 502.");
  }
});
