import { describe, expect, it } from "vitest";
import { MemoryWatch } from "./memory-watch.ts";

describe("the watch over the kernel's kills for memory", () => {
  it("sees one of just now, and not one of long ago that hit a tool and not the agent", () => {
    let kills = 3;
    const watch = new MemoryWatch(() => kills);
    expect(watch.hasKilledLately()).toBe(false);
    kills = 4;
    watch.look();
    expect(watch.hasKilledLately()).toBe(true);
    for (let n = 0; n < 5; n += 1) watch.look();
    expect(watch.hasKilledLately()).toBe(false);
  });

  it("claims nothing where the kernel does not count", () => {
    expect(new MemoryWatch(() => null).hasKilledLately()).toBe(false);
  });
});
