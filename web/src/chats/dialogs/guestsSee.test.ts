import { expect, test } from "vitest";
import { seen } from "./guestsSee";

const NOW = new Date("2027-01-15T12:00:00Z").getTime();

test("a link says what guests see and until when, and what they never see", () => {
  const words = seen({ days: 7, live: false, include: [] }, NOW);

  expect(words).toContain("22, 2027");
  expect(words).toContain("sees the title, your display name, what was said here up to now.");
  expect(words).toContain("never see costs");
});

test("what is shown beside words is listed, and that more follows", () => {
  const words = seen({ days: 1, live: true, include: ["tools", "files"] }, NOW);

  expect(words).toContain(
    "what was said and will be said here, what tools were given and what came of it, files.",
  );
});
