import { describe, expect, it } from "vitest";
import { SeenIds } from "./seen-ids.ts";

describe("ids that were seen", () => {
  it("are known again, and no others, of a million alike", () => {
    const ids = new SeenIds();
    for (let n = 0; n < 1_000_000; n++) ids.add(`01a1dd09-${n}`);
    let [missed, made] = [0, 0];
    for (let n = 0; n < 1_000_000; n++) {
      if (!ids.has(`01a1dd09-${n}`)) missed += 1;
      if (ids.has(`01a1dd0a-${n}`)) made += 1;
    }
    expect({ missed, made, hasForgotten: ids.hasForgotten }).toEqual({
      missed: 0,
      made: 0,
      hasForgotten: false,
    });
  });

  it("are forgotten from the oldest on where there are too many, and it is said so (T5)", () => {
    const ids = new SeenIds(64);
    for (let n = 0; n < 1000; n++) ids.add(String(n));
    expect(ids.hasForgotten).toBe(true);
    expect([ids.has("0"), ids.has("999")]).toEqual([false, true]);
  });
});
