/** Together first, then by halves (DESIGN 8): what passes, passes as it stands. */
import { describe, expect, it } from "vitest";
import { tryTogether } from "./try-together.ts";

type Check = (items: ReadonlySet<string>) => boolean;

async function tried(items: string, check: Check, most = 100, base: readonly string[] = []) {
  const runs = { left: most };
  const asked: string[] = [];
  const found = await tryTogether([...items], { base, runs }, async (set) => {
    asked.push(set.join(""));
    return check(new Set(set));
  });
  const text = (list: readonly string[]): string => [...list].sort().join("");
  return {
    passed: text(found.passed),
    failed: text(found.failed),
    clashing: text(found.clashing),
    untried: text(found.untried),
    asked,
  };
}

describe("what is tried together", () => {
  it("costs one run where all of it passes", async () => {
    expect(await tried("abcdefgh", () => true)).toMatchObject({ passed: "abcdefgh", asked: ["abcdefgh"] });
  });

  it("is halved around the one that fails, and the others count", async () => {
    const found = await tried("abcdefgh", (set) => !set.has("f"));
    expect(found).toMatchObject({ passed: "abcdegh", failed: "f", clashing: "" });
    expect(found.asked.length).toBeLessThan(10);
  });

  it("is never tried twice as the same set, in whatever order: a check may take minutes", async () => {
    for (const bad of ["f", "a", "h", "cf", "abc", "ag"]) {
      const { asked } = await tried("abcdefgh", (set) => ![...bad].some((one) => set.has(one)));
      const sets = asked.map((set) => [...set].sort().join(""));
      expect(sets, bad).toEqual([...new Set(sets)]);
    }
  });

  it("counts what needs its neighbour, which tried alone would fail", async () => {
    const check: Check = (set) => !set.has("a") || set.has("d");
    expect(await tried("abcd", check)).toMatchObject({ passed: "abcd" });
    expect(await tried("abcde", (set) => check(set) && !set.has("e"))).toMatchObject({
      passed: "abcd",
      failed: "e",
      clashing: "",
    });
  });

  it("counts what needs each other, with one at fault beside them, wherever the halves fall", async () => {
    const check: Check = (set) => set.has("a") === set.has("d") && !set.has("b");
    expect(await tried("abd", check)).toMatchObject({ passed: "ad", failed: "b" });
  });

  it("names what passes alone and not with the others: of those that clash none has passed", async () => {
    const check: Check = (set) => !(set.has("a") && set.has("b"));
    expect(await tried("ab", check)).toMatchObject({ passed: "", failed: "", clashing: "ab" });
    expect(await tried("b", check, 100, ["a"])).toMatchObject({ passed: "", failed: "", clashing: "b" });
  });

  it("voids none but those that a clash touches, wherever they stand, and what passed then has passed without them", async () => {
    const isClash = (set: ReadonlySet<string>, pair: string): boolean =>
      [...pair].every((one) => set.has(one));
    for (const pair of ["ab", "cf", "ah", "gh"]) {
      const others = [..."abcdefgh"].filter((one) => !pair.includes(one)).join("");
      const found = await tried("abcdefgh", (set) => !isClash(set, pair));
      expect(found, pair).toMatchObject({ passed: others, failed: "", clashing: pair });
      const sets = found.asked.map((set) => [...set].sort().join(""));
      expect(sets, pair).toContain(others);
    }
    const two = await tried("abcdefgh", (set) => !isClash(set, "af") && !isClash(set, "cf") && !set.has("h"));
    expect(two).toMatchObject({ passed: "bdeg", failed: "h", clashing: "acf" });
  });

  it("voids all that passed where the rest needs what the clash touches, or no run is left to tell (T5)", async () => {
    const needs: Check = (set) => !(set.has("a") && set.has("d")) && (!set.has("b") || set.has("a"));
    expect(await tried("abd", needs)).toMatchObject({ passed: "", clashing: "abd" });
    const check: Check = (set) => !(set.has("b") && set.has("h"));
    const { asked } = await tried("abcdefgh", check);
    for (let most = 0; most < asked.length; most++) {
      const { passed, asked: ran } = await tried("abcdefgh", check, most);
      if (passed !== "") expect(ran.map((set) => [...set].sort().join(""))).toContain(passed);
    }
  });

  it("finds a few among forty groups within thirty runs, and where half of them fail says what it did not reach (T5)", async () => {
    const forty = Array.from({ length: 40 }, (_, at) => String.fromCharCode(0x4e00 + at)).join("");
    const sorted = (text: string): string => [...text].sort().join("");
    const bad = [3, 17, 38].map((at) => forty[at] ?? "");
    const few = await tried(forty, (set) => !bad.some((one) => set.has(one)), 30);
    expect(few.asked.length).toBeLessThanOrEqual(30);
    expect([few.failed, few.clashing, few.untried]).toEqual([bad.join(""), "", ""]);
    expect(sorted(few.passed + few.failed)).toBe(sorted(forty));

    const seen = new Set<string>();
    const many = await tried(
      forty,
      (set) => {
        const isGood = [...set].every((one) => forty.indexOf(one) % 2 === 0);
        if (isGood) seen.add(sorted([...set].join("")));
        return isGood;
      },
      30,
    );
    expect(many.asked).toHaveLength(30);
    expect(many.untried.length).toBeGreaterThan(0);
    expect(sorted(many.passed + many.failed + many.clashing + many.untried)).toBe(sorted(forty));
    if (many.passed !== "") expect(seen).toContain(many.passed);
  });

  it("stops at its number of runs and says what it did not reach; what it calls passed has passed (T5)", async () => {
    for (let most = 0; most < 12; most++) {
      const seen = new Set<string>();
      const found = await tried(
        "abcdefgh",
        (set) => {
          const isGood = !set.has("c") && !set.has("g");
          if (isGood) seen.add([...set].sort().join(""));
          return isGood;
        },
        most,
      );
      expect(found.asked.length).toBeLessThanOrEqual(most);
      expect([...found.passed, ...found.failed, ...found.clashing, ...found.untried].sort().join("")).toBe(
        "abcdefgh",
      );
      if (found.passed !== "") expect(seen).toContain(found.passed);
    }
  });
});
