import { describe, expect, it } from "vitest";

import { BEHIND_MAX, beginning, released } from "./release";

describe("words appear at a steady pace", () => {
  it("faster when more is left, and never too far behind", () => {
    expect(released(0, 40, 1000)).toBe(40);
    expect(released(0, 10, 100)).toBeCloseTo(2.4);
    expect(released(0, 100, 100)).toBeCloseTo(18);
    expect(released(0, 10_000, 0)).toBe(10_000 - BEHIND_MAX);
  });

  it("until all are there", () => {
    let shown = 0;
    for (let frame = 0; frame < 300; frame += 1) shown = released(shown, 100, 16);
    expect(shown).toBe(100);
    expect(released(200, 100, 16)).toBe(100);
  });

  it("and never half of a character", () => {
    expect(beginning("a😀b", 2)).toBe("a😀");
    expect(beginning("a😀b", 1.9)).toBe("a");
  });
});
