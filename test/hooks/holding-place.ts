/** A hooked place whose recorder holds by its own hands, and an agent whose shell is about to run something. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect } from "vitest";
import type { JsonObject } from "../support/cli.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { claudeEvents, type HookedPlace, hookedPlace } from "./hooked-place.ts";
import { holdingHome } from "./recorder.ts";

export const SESSION = "11111111-2222-4333-8444-555555555555";
/** No test asserts a time. */
export const PATIENT = { REFLOAT_HOOK_WAIT: "120", HOME: "/nonexistent", GIT_CONFIG_GLOBAL: "/dev/null" };

export interface HoldingPlace extends HookedPlace {
  /** An agent was asked for something, its shell is about to run this, and then it dies. */
  about(command: string, more?: AboutOptions): void;
  /** Those that were taken before a command. */
  captures(): Promise<readonly JsonObject[]>;
  /** What the record of a capture says. */
  taken(id: unknown): Promise<JsonObject>;
  /** Everything of a capture, in a new folder. */
  copied(id: string): Promise<string>;
}

interface AboutOptions {
  readonly shell?: readonly string[];
  readonly cwd?: string;
  readonly env?: Record<string, string>;
}

/** Stands for the agent: a process that is no shell, calls the hooks one after the other, and is gone. */
const AGENT = `my ($hook, @shell) = @ARGV;
for (["UserPromptSubmit", $ENV{PROMPT}], ["PreToolUse", $ENV{BEFORE}]) {
  open my $to, "|-", @shell, $hook, "claude", $_->[0] or die;
  print {$to} $_->[1];
  close $to;
  exit 1 if $?;
}`;

export function holdingPlace(committed?: Readonly<Record<string, string>>): HoldingPlace {
  const place = hookedPlace(committed);
  holdingHome(place.home);
  let count = 0;
  return {
    ...place,
    about: (command, { shell = ["sh"], cwd = place.workspace, env = {} } = {}) => {
      const events = claudeEvents(SESSION, cwd);
      const said = {
        PROMPT: JSON.stringify(events.prompt("go")),
        BEFORE: JSON.stringify(events.before(`t${++count}`, command)),
      };
      const ran = spawnSync("perl", ["-e", AGENT, join(place.home, "bin/refloat-hook"), ...shell], {
        ...{ cwd, encoding: "utf8" },
        env: { PATH: process.env.PATH, ...PATIENT, ...said, ...env },
      });
      expect([ran.status, ran.stdout, ran.stderr]).toEqual([0, "", ""]);
    },
    captures: async () =>
      ((await place.json(["captures"])).json.captures as JsonObject[]).filter(({ before }) => before),
    taken: async (id) => {
      for (const session of await place.sessions())
        for (const record of await place.journal(String(session.id)))
          if (record.id === `capture:${id}`) return record.body;
      throw new Error(`no record of ${id}`);
    },
    copied: async (id) => {
      const to = join(temporaryFolder(), "copy");
      // 3: something is a gap.
      expect([0, 3]).toContain((await place.json(["restore", id, "--to", to])).code);
      return to;
    },
  };
}
