/** What is written down in more than one language is the same in each: events, what they are, bounds. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MAX_ANCESTORS } from "../../src/agents/inbox/format.ts";
import { AGENTS } from "../../src/agents/registry.ts";
import { agentHome } from "../../src/agents/words/agent-files.ts";
import { askedEvents, type HookMoment } from "../../src/agents/words/hooks.ts";
import type { InstallFile } from "../../src/agents/words/install.ts";
import {
  HELD_WAITING,
  HOLD_CHOICES,
  HOLD_COMMITS,
  HOLD_FILE_BYTES,
  HOLD_IGNORED_PATHS,
  HOLD_NAMES,
  HOLD_PATHS,
  HOLD_PLACES,
  HOLD_TIPS,
  HOLD_TOTAL_BYTES,
  HOLD_TREES,
  HOLD_WORDS,
  INBOX_BODY_BYTES,
  INBOX_LARGE_BYTES,
  INBOX_LARGE_WAITING,
  INBOX_WAITING,
} from "../../src/model/limits.ts";
import { MADE_ANEW } from "../../src/salvage/worktrees/guard-hold.ts";
import { ALWAYS, PROGRAM_KEYS } from "../../src/workspace/git/program-keys.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { SCRIPT } from "./recorder.ts";

const ROOT = join(import.meta.dirname, "../..");
const packaged = (name: string): string => readFileSync(join(ROOT, "hooks", name), "utf8");
const HOOKED = AGENTS.flatMap(({ name, hooks, install }) => (hooks ? [{ name, hooks, install }] : []));
const BY_PLUGIN = ["opencode", "pi"];

/** As the recorder's shell has them. */
const WORDS: Readonly<Partial<Record<HookMoment, string>>> = {
  "session-start": "start",
  prompt: "prompt",
  "before-call": "before",
  "turn-end": "over",
  "session-end": "end",
};

function momentsByShell(events: readonly string[]): readonly string[] {
  const [, cases = ""] =
    /(case \$event in\nSessionStart[\s\S]*?\nesac)\n/.exec(packaged("refloat-hook")) ?? [];
  const script = `for event; do ${cases}\necho "$moment"; done`;
  const { stdout } = spawnSync("sh", ["-c", script, "sh", ...events], { encoding: "utf8" });
  return stdout.trimEnd().split("\n");
}

function eventsIn({ form }: InstallFile): readonly string[] {
  if (form.kind === "json") return form.hooks.map(({ event }) => event);
  if (form.kind !== "own" || !form.text.startsWith("{")) return [];
  return Object.keys((JSON.parse(form.text) as { hooks: object }).hooks);
}

describe("one table of events", () => {
  it.each(HOOKED.filter(({ name }) => !BY_PLUGIN.includes(name)))(
    "init asks $name for what its table says, and for nothing else",
    ({ hooks, install }) => {
      const home = temporaryFolder();
      const place = {
        ...{ where: agentHome({ HOME: home }), root: home, scope: "user" as const, server: null },
        command: (event: string) => event,
        ownFile: () => "",
      };
      expect(install?.files(place).flatMap(eventsIn)).toEqual(askedEvents(hooks));
    },
  );

  it.each(HOOKED.filter(({ name }) => BY_PLUGIN.includes(name)))(
    "the plugin of $name tells what its table says, and nothing else",
    ({ name, hooks }) => {
      const text = packaged(`${name}.js`);
      const quoted = new Set([...text.matchAll(/"([a-z]+[._][a-z._]+|input)"/g)].map(([, event]) => event));
      const own = ["session_id", "session_file", "before_agent_start"];
      expect([...quoted].filter((word) => !own.includes(word ?? "")).toSorted()).toEqual(
        [...askedEvents(hooks)].toSorted(),
      );
    },
  );

  it.each(HOOKED)("the recorder takes each event of $name for what its table says", ({ hooks }) => {
    const asked = hooks.events.filter((event) => event.asked !== false);
    const expected = asked.map(({ moment }) => WORDS[moment] ?? "other");
    expect(momentsByShell(asked.map(({ name }) => name))).toEqual(expected);
  });

  it("Gemini's PreCompress, which comes before every call of its model, is asked for by nobody", () => {
    const gemini = HOOKED.find(({ name }) => name === "gemini");
    expect(gemini && askedEvents(gemini.hooks)).not.toContain("PreCompress");
    expect(readFileSync(join(ROOT, "plugins/gemini/hooks/hooks.json"), "utf8")).not.toContain("PreCompress");
  });
});

it.each([
  [SCRIPT, "="],
  [join(ROOT, "hooks/inbox-writer.js"), " = "],
])("the bounds of the inbox in %s are those of the limits' list (T5)", (file, is) => {
  const text = readFileSync(file, "utf8");
  for (const [name, bound] of [
    ["MAX_WAITING", INBOX_WAITING],
    ["MAX_LARGE", INBOX_LARGE_WAITING],
    ["LARGE_BYTES", INBOX_LARGE_BYTES],
    ["MAX_BYTES", INBOX_BODY_BYTES],
    ["MAX_ANCESTORS", MAX_ANCESTORS],
    ...(is === "=" ? ([["MAX_HELD", HELD_WAITING]] as const) : []),
  ] as const)
    expect(new RegExp(`\\b${name}${is}(\\d+);?\\n`).exec(text)?.[1], name).toBe(String(bound));
});

describe("the holder, in perl,", () => {
  const text = packaged("refloat-hold");
  const words = (list: string): readonly string[] =>
    [...list.matchAll(/'([^']*)'/g)].map(([, word]) => word ?? "");

  it("has the bounds of the limits' list (T5)", () => {
    const own = [...text.matchAll(/^ {2}(HOLD_[A-Z_]+) => (\d+),$/gm)].map(([, name, bound]) => [
      name,
      Number(bound),
    ]);
    const listed = {
      HOLD_FILE_BYTES,
      HOLD_TOTAL_BYTES,
      HOLD_PATHS,
      HOLD_TREES,
      HOLD_WORDS,
      ...{ HOLD_PLACES, HOLD_CHOICES, HOLD_NAMES },
      HOLD_IGNORED_PATHS,
    };
    expect(Object.fromEntries(own)).toEqual({ ...listed, HOLD_TIPS, HOLD_COMMITS });
  });

  it("switches off the same keys of a repository that the program does", () => {
    const keys = PROGRAM_KEYS.map(([section, name, variables, nothing]) => [
      ...[section, name, (variables ?? []).join(" "), nothing],
    ]);
    const [own = ""] = /my @PROGRAM_KEYS = \(\n(.*?)\n\);/s.exec(text)?.slice(1) ?? [];
    expect(own.split("\n").map((line) => words(line))).toEqual(keys);
    const [always = ""] = /my @ALWAYS = \(\n(.*?)\n\);/s.exec(text)?.slice(1) ?? [];
    expect(words(always)).toEqual(ALWAYS.flatMap(({ key, value }) => [key, value]));
  });

  it("leaves out the same folders that tools make anew", () => {
    const [own = ""] = /my %MADE_ANEW = .*? qw\(\n(.*?)\n\);/s.exec(text)?.slice(1) ?? [];
    expect(own.trim().split(/\s+/)).toEqual([...MADE_ANEW]);
  });
});
