/**
 * 200 trees that were worked in by an agent and are gone, rebuilt from its transcript alone and held against what they were. A file that is
 * called exact and differs by a byte is a lie (T1); a file that only edit tools touched should come back.
 */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AGENTS } from "../../../src/agents/registry.ts";
import { recognizeTranscript } from "../../../src/agents/transcript/read-transcript.ts";
import { rebuild } from "../../../src/app/agents/rebuild.ts";
import { giving } from "../../../src/model/errors.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { ClaudeScribe, CodexScribe, type Fate, OpencodeScribe, PiScribe, type Scribe } from "./scribes.ts";
import { Chance, nextCall, ROOT, type Tree, textOf } from "./world.ts";

const STATES = Number(process.env.REFLOAT_REBUILD_STATES ?? 200);
const FILES = ["a.ts", "src/b.ts", "src/deep/c.md", "notes.txt", "d.json"];
const FATES: readonly Fate[] = ["ended", "not begun", "no result", "half"];
const SCRIBES: readonly (() => Scribe)[] = [
  () => new ClaudeScribe(),
  () => new CodexScribe(),
  () => new PiScribe(),
  () => new OpencodeScribe(),
];

interface Destroyed {
  readonly tree: Tree;
  readonly path: string;
  readonly agent: string;
  /** Made by the agent's edit tools, and changed by nothing else. */
  readonly onlyEdited: ReadonlySet<string>;
  /** Those that were there when a command ran that may have written anything. */
  readonly inReach: ReadonlySet<string>;
}

function destroy(seed: number, folder: string): Destroyed {
  const chance = new Chance(seed);
  const scribe = (SCRIBES[seed % SCRIBES.length] as () => Scribe)();
  const tree: Tree = new Map();
  const before = FILES.filter(() => chance.is(0.2)).map((name) => `${ROOT}/${name}`);
  for (const path of before) tree.set(path, textOf(chance));
  const others = new Set(before);
  const edited = new Set<string>();
  const inReach = new Set<string>();
  const calls = 3 + chance.below(25);
  for (let n = 0; n < calls; n++) {
    const call = nextCall(scribe.agent, tree, chance, FILES);
    const beside = nextCall(scribe.agent, tree, chance, FILES);
    const isTogether = chance.is(0.15) && n < calls - 1 && scribe.together !== undefined;
    for (const one of isTogether ? [call, beside] : [call]) {
      for (const [path] of one.changes ?? []) others.add(path);
      if (/^(?:node|npm)/.test(one.command ?? "")) for (const path of tree.keys()) inReach.add(path);
      if (EDITS.has(one.what)) edited.add(one.path).add(one.to ?? one.path);
    }
    const fate = n === calls - 1 ? chance.of(FATES) : "ended";
    if (isTogether) {
      if (call.path === beside.path || call.changes || beside.changes)
        inReach.add(call.path).add(beside.path);
      scribe.together?.(tree, [call, beside], chance.is(0.5) ? 0 : 1);
      continue;
    }
    if (fate !== "ended") others.add(call.path);
    scribe.call(tree, call, fate);
  }
  const onlyEdited = new Set([...edited].filter((path) => !others.has(path) && tree.has(path)));
  return { tree, path: scribe.finish(folder), agent: scribe.agent, onlyEdited, inReach };
}

const EDITS: ReadonlySet<string> = new Set(["write", "replace", "patch", "move", "delete"]);

interface Figures {
  exact: number;
  files: number;
  edited: number;
  editedExact: number;
  inReach: number;
  inReachExact: number;
}

describe("rebuilding trees that are gone", () => {
  it(`calls nothing exact that differs by a byte, and at least 9 of 10 files that only edit tools touched exact, in ${STATES} destroyed states (T1)`, async () => {
    const figures = new Map<string, Figures>();
    const wrong: string[] = [];
    for (let seed = 1; seed <= STATES; seed++) {
      const folder = temporaryFolder();
      const { tree, path, agent, onlyEdited, inReach } = destroy(seed, folder);
      const adapter = recognizeTranscript(path, AGENTS);
      expect(adapter?.name).toBe(agent);
      if (!adapter) continue;
      const order = {
        sources: [{ adapter, path, nativeId: null }],
        atCall: null,
        to: join(folder, "to"),
        isDryRun: true,
      };
      const { files, gone } = await rebuild(order).catch(
        giving({ files: [], gone: [] }, "E_NOTHING_TO_REBUILD"),
      );
      const counted = figures.get(agent) ?? {
        exact: 0,
        files: 0,
        edited: 0,
        editedExact: 0,
        inReach: 0,
        inReachExact: 0,
      };
      figures.set(agent, counted);
      const exact = files.filter(({ label }) => label === "exact");
      for (const { path: name, text } of exact)
        if (tree.get(name) !== text) wrong.push(`${seed} ${agent} ${name}`);
      for (const { path: name, label } of gone)
        if (label === "exact" && tree.has(name)) wrong.push(`${seed} ${agent} ${name} is there`);
      counted.exact += exact.length;
      counted.files += files.length;
      const edited = [...onlyEdited];
      const names = new Set(exact.map(({ path: name }) => name));
      counted.edited += edited.filter((name) => !inReach.has(name)).length;
      counted.editedExact += edited.filter((name) => !inReach.has(name) && names.has(name)).length;
      counted.inReach += edited.filter((name) => inReach.has(name)).length;
      counted.inReachExact += edited.filter((name) => inReach.has(name) && names.has(name)).length;
    }
    const all = [...figures.values()];
    const sum = (name: keyof Figures): number => all.reduce((total, one) => total + one[name], 0);
    console.log(
      `rebuilt ${STATES} states, ${wrong.length} wrong:`,
      JSON.stringify(Object.fromEntries(figures)),
      `${sum("editedExact")} of ${sum("edited")} files that only edit tools touched exact; ${sum("inReachExact")} of ${sum("inReach")} behind a command that may have written anything`,
    );
    expect(wrong).toEqual([]);
    expect(sum("editedExact") / sum("edited")).toBeGreaterThanOrEqual(0.9);
  });
});
