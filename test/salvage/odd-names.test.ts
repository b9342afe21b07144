/** A name that is no text, or that a terminal would act on: shown in one way wherever it is shown (T3), exact in JSON. */
import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { BIN, type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";

/** Names as bytes, each with how it is shown. */
const NAMES: readonly (readonly [Buffer, string])[] = [
  [Buffer.from([0x61, 0xff, 0x2e, 0x6a, 0x73]), "$'a\\xff.js'"],
  [Buffer.from([0x61, 0xfe, 0x2e, 0x6a, 0x73]), "$'a\\xfe.js'"],
  [Buffer.from("e\x1b[31mvil.js"), "$'e\\x1b[31mvil.js'"],
  [Buffer.from("two  spaces.js"), "$'two \\x20spaces.js'"],
  [Buffer.from("nal\u202esj.txt.js"), "$'nal\\u202esj.txt.js'"],
];
const HALF = "export const a = (";

function scene(): Place {
  const place = makePlace();
  const { root, commit } = testRepository(place.workspace);
  commit();
  for (const [name] of NAMES) writeFileSync(Buffer.concat([Buffer.from(`${root}/`), name]), HALF);
  return place;
}

describe("an odd name", () => {
  it("is shown in one way in every screen, on its own line and in the reasons, and never as another's", async () => {
    const place = scene();
    const screens: string[] = [];
    for (const words of [
      ["inspect"],
      ["settle", "--adopt", "--dry-run"],
      ["park", "--all", "--adopt", "--dry-run"],
      ["diff", "HEAD", "now", "--stat"],
      ["park", "--all", "--adopt", "--yes"],
      ["parked"],
      ["undo", "--dry-run"],
      ["capture"],
    ]) {
      const { code, stdout, stderr } = await place.refloat(words, { env: { COLUMNS: "120" } });
      expect({ words, code, stderr }).toMatchObject({ code: 0 });
      screens.push(stdout);
    }
    const all = screens.join("\n");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: looking for them is the point.
    expect(all).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\ufffd]|<U\+|\u241b/);
    const [inspected = "", planned = "", , diffed = ""] = screens;
    for (const [, shown] of NAMES) {
      for (const screen of [inspected, planned, diffed]) expect(screen).toContain(shown);
      expect(inspected).toMatch(new RegExp(`added +${escaped(shown)}\\n +- .*${escaped(shown)}`));
    }
  });

  it("typed as its bytes is that file and no other, for every act that takes paths", () => {
    const { workspace, home } = scene();
    // Node would hand the bytes over as text: a shell does not.
    const typed = (words: string, name: string): JsonObject => {
      const script = `exec "$0" "$1" --json ${words} -- "$(printf '${name}')"`;
      const env = { PATH: process.env.PATH, HOME: home, REFLOAT_HOME: home };
      const { stdout } = spawnSync("sh", ["-c", script, process.execPath, BIN], { cwd: workspace, env });
      return JSON.parse(stdout.toString("utf8")) as JsonObject;
    };
    const there = (): string[] =>
      readdirSync(workspace, { encoding: "latin1" }).filter((name) => /^a.\.js$/.test(name));
    const parked = typed("park --yes", "a\\377.js");
    expect([parked.done, there()]).toEqual([true, ["a\xfe.js"]]);
    expect(typed("discard --yes", "a\\376.js").done).toBe(true);
    expect(there()).toEqual([]);
    const evil = typed("capture", "e\\033[31mvil.js");
    expect(evil.held).toBe(1);
  });

  it("is exact in JSON, and no sentence there has half a character", async () => {
    const place = scene();
    const { stdout } = await place.refloat(["inspect", "--json"]);
    expect(stdout).not.toMatch(/\\u[dD][89a-fA-F]/);
    const json = JSON.parse(stdout) as JsonObject;
    const names = json.groups
      .flatMap(({ changes }: JsonObject) => changes)
      .map(({ path, path_b64 }: JsonObject) =>
        path_b64 === undefined ? Buffer.from(path) : Buffer.from(path_b64, "base64"),
      );
    const hex = (all: readonly Buffer[]): string[] => all.map((one) => one.toString("hex")).sort();
    expect(hex(names)).toEqual(hex(NAMES.map(([name]) => name)));
  });
});

const escaped = (text: string): string => text.replace(/[\\$^*+?.()|[\]{}]/g, "\\$&");
