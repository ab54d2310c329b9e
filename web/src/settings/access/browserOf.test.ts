import { expect, test } from "vitest";
import { browserOf } from "./browserOf";

test("browsers are called by the names that people know", () => {
  const chrome =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36";
  expect(browserOf(chrome)).toBe("Chrome on Linux");
  expect(browserOf(`${chrome} Edg/140.0`)).toBe("Edge on Linux");
  expect(browserOf("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1")).toBe(
    "Safari on iOS",
  );
  expect(browserOf("curl/8.5")).toBe("curl/8.5");
  expect(browserOf("")).toBe("Unknown browser");
});
