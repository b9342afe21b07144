/** The notes of what `init` changed are read with suspicion: one that is damaged or forged changes nothing (K2, T2). */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RefloatError } from "../../src/model/errors.ts";
import { type AgentsHome, agentsHome } from "./agents-home.ts";

const SETTINGS = ".claude/settings.json";

/** Set up, where there was a file before. */
async function setUp(): Promise<{ home: AgentsHome; notes: readonly string[]; installed: string }> {
  const home = agentsHome([".claude"]);
  writeFileSync(home.path(SETTINGS), '{"model": "x"}\n');
  await home.init();
  const folder = join(home.own, "install");
  const notes = readdirSync(folder).filter((name) => /^[0-9a-f]{64}\.json$/.test(name));
  return { home, notes: notes.map((name) => join(folder, name)), installed: settings(home) };
}

const settings = (home: AgentsHome): string => readFileSync(home.path(SETTINGS), "utf8");

async function refusal(home: AgentsHome): Promise<RefloatError> {
  const thrown = await home.uninstall().catch((error: unknown) => error);
  if (thrown instanceof RefloatError) return thrown;
  throw new Error("it was not refused", { cause: thrown });
}

describe("uninstall with a ledger that is damaged or forged", () => {
  it.each([
    ["an original outside", { original: "../../../../../precious.txt" }],
    ["a hash that is none", { ours: ["x"] }],
    ["a target that it is not called after", { target: "/nowhere/else" }],
    ["a folder that is not above its file", { folders: ["/nowhere/else"] }],
    ["a folder from wherever one stands", { folders: ["made"] }],
    ["a mode that is none", { mode: -1 }],
  ])("T2: says which note has %s, and neither deletes nor changes anything", async (_what, forged) => {
    const { home, notes, installed } = await setUp();
    const precious = home.path("precious.txt");
    writeFileSync(precious, "mine\n");
    const path = notes[0] ?? "";
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), ...forged }));
    const { code, message } = await refusal(home);
    expect([code, message.includes(path)]).toEqual(["E_BAD_LEDGER", true]);
    expect([readFileSync(precious, "utf8"), settings(home)]).toEqual(["mine\n", installed]);
  });

  it.each(["not json", '{"a": 1}', '["relative"]'])(
    "says that folders.json is damaged (%s) before anything is given back",
    async (text) => {
      const { home, installed } = await setUp();
      const path = join(home.own, "install/folders.json");
      mkdirSync(join(home.own, "install"), { recursive: true });
      writeFileSync(path, text);
      const { code, message } = await refusal(home);
      expect([code, message.includes(path)]).toEqual(["E_BAD_LEDGER", true]);
      expect(settings(home)).toBe(installed);
    },
  );

  it("says which original is gone before anything is given back", async () => {
    const { home, installed } = await setUp();
    rmSync(join(home.own, "install/originals"), { recursive: true });
    const { code } = await refusal(home);
    expect([code, settings(home)]).toEqual(["E_BAD_LEDGER", installed]);
    expect(existsSync(join(home.own, "bin/refloat-hook"))).toBe(true);
  });
});
