/** `init` and `uninstall` killed at every point, and two of them at once: each file is the old one or the new one, and the next finishes. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { INSTALL_CRASH_POINTS } from "../../src/platform/crash-point.ts";
import { ended, makePlace, type Place } from "../support/cli.ts";
import { treeOf } from "./agents-home.ts";

/** Without comments: Claude Code ignores a file that has some, so there they are refused (command.test.ts). */
const SETTINGS = '{\n  "mine":   true,\n\t"a": 1\n}\n';
const FILES = [".claude/settings.json", ".gemini/settings.json", ".qwen/settings.json"];

/** Six processes that run into each other; more rounds are more luck. */
const ROUNDS = process.env.REFLOAT_SWEEP === "full" ? 20 : 3;

/** The user's home is another folder than the store's: what lies in it is compared as a whole. */
interface UserPlace {
  readonly place: Place;
  readonly user: string;
  refloat(args: readonly string[], env?: Readonly<Record<string, string>>): ReturnType<Place["refloat"]>;
}

function userPlace(): UserPlace {
  const place = makePlace();
  const user = place.workspace;
  for (const file of FILES) {
    mkdirSync(join(user, file, ".."), { recursive: true });
    writeFileSync(join(user, file), SETTINGS);
  }
  mkdirSync(join(user, ".pi/agent"), { recursive: true });
  return { place, user, refloat: (args, env = {}) => place.refloat(args, { env: { HOME: user, ...env } }) };
}

async function pointsPassed(
  args: readonly string[],
  prepare: (one: UserPlace) => Promise<unknown>,
): Promise<string[]> {
  const one = userPlace();
  await prepare(one);
  const log = join(one.place.home, "points");
  const { code } = await one.refloat(args, { REFLOAT_CRASH_LOG: log });
  expect(code).toBe(0);
  const seen = new Map<string, number>();
  return readFileSync(log, "utf8")
    .trim()
    .split("\n")
    .filter((name) => name in INSTALL_CRASH_POINTS)
    .map((name) => {
      seen.set(name, (seen.get(name) ?? 0) + 1);
      return `${name}#${seen.get(name)}`;
    });
}

describe("killed in the middle", () => {
  it("init leaves each file whole, the next init finishes it, and uninstall gives every byte back (S6)", async () => {
    const points = await pointsPassed(["init", "--yes"], async () => undefined);
    expect(new Set(points.map((point) => point.replace(/#.*/, ""))).size).toBeGreaterThanOrEqual(4);
    for (const point of points) {
      const one = userPlace();
      const before = treeOf(one.user);
      const killed = await one.refloat(["init", "--yes"], { REFLOAT_CRASH_AT: point });
      expect(killed.signal, point).toBe("SIGKILL");
      for (const file of FILES) {
        const text = readFileSync(join(one.user, file), "utf8");
        if (text !== SETTINGS) expect(text, point).toMatch(/refloat-hook[\s\S]*}\n$/);
      }
      if (points.indexOf(point) % 2 === 0) {
        expect((await one.refloat(["init", "--yes"])).code, point).toBe(0);
        for (const file of FILES)
          expect(readFileSync(join(one.user, file), "utf8")).toContain("refloat-hook");
        expect((await one.refloat(["init", "--yes"])).stdout).toContain("Nothing to do");
      }
      expect((await one.refloat(["uninstall", "--yes"])).code, point).toBe(0);
      expect(treeOf(one.user), point).toEqual(before);
      expect(existsSync(join(one.place.home, "install")), point).toBe(false);
    }
  }, 600_000);

  it("uninstall leaves each file whole, and the next uninstall finishes it (S6)", async () => {
    const points = await pointsPassed(["uninstall", "--yes"], ({ refloat }) => refloat(["init", "--yes"]));
    expect(points.length).toBeGreaterThan(6);
    for (const point of points) {
      const one = userPlace();
      const before = treeOf(one.user);
      await one.refloat(["init", "--yes"]);
      const killed = await one.refloat(["uninstall", "--yes"], { REFLOAT_CRASH_AT: point });
      expect(killed.signal, point).toBe("SIGKILL");
      expect((await one.refloat(["uninstall", "--yes"])).code, point).toBe(0);
      expect(treeOf(one.user), point).toEqual(before);
      expect(existsSync(join(one.place.home, "install")), point).toBe(false);
    }
  }, 600_000);
});

describe("two at once", () => {
  it("of init put every entry there once, and what was there before comes back", async () => {
    const one = userPlace();
    const before = treeOf(one.user);
    const start = () => one.place.start(["init", "--yes"], { env: { HOME: one.user } });
    const both = await Promise.all([start(), start(), start()].map((child) => ended(child)));
    // Who was late finds it changed meanwhile and says so, or finds nothing to do.
    expect(both.some(({ code }) => code === 0)).toBe(true);
    for (const { stderr } of both) expect(stderr).toBe("");
    for (const file of FILES) {
      const text = readFileSync(join(one.user, file), "utf8");
      expect(text.match(/refloat-hook/g)?.length).toBe(file.includes("gemini") ? 6 : 9);
    }
    expect((await one.refloat(["uninstall", "--yes"])).code).toBe(0);
    expect(treeOf(one.user)).toEqual(before);
  }, 60_000);

  // What was empty in a file is known by its note alone: forgotten by one while the other changes the file, it is lost.
  it("of init and of uninstall take turns, and what was there before comes back (T1)", async () => {
    const settings = '{\n  "hooks": {}\n}\n';
    for (let round = 0; round < ROUNDS; round++) {
      const one = userPlace();
      for (const file of FILES) writeFileSync(join(one.user, file), settings);
      const before = treeOf(one.user);
      const start = (command: string) => one.place.start([command, "--yes"], { env: { HOME: one.user } });
      const orders = Array.from({ length: 6 }, (_, at) =>
        start((at + round) % 2 === 0 ? "init" : "uninstall"),
      );
      for (const { code, stderr } of await Promise.all(orders.map((child) => ended(child))))
        expect([code, stderr]).toEqual([0, ""]);
      expect((await one.refloat(["uninstall", "--yes"])).code).toBe(0);
      expect(treeOf(one.user)).toEqual(before);
      expect(existsSync(join(one.place.home, "install"))).toBe(false);
    }
  }, 120_000);
});
