/** How our recorder and our program are called from other programs' files. Pure, but for looking programs up. */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { readOrNull } from "../../platform/io-error.ts";
import { type Environment, findProgram } from "../../platform/places.ts";
import { shellWord } from "../../text/escape.ts";

const RECORDER = "refloat-hook";

export const recorderPath = (home: string): string => join(home, "bin", RECORDER);

/** By its own path on this machine, from a file that only its user reads. */
export const ownCommand = (home: string, agent: string, event: string): string =>
  `${quoted(recorderPath(home))} ${agent} ${event}`;

/** Looked for at every call, from a file that goes to machines without us: silent there, and exit 0. */
export const sharedCommand = (agent: string, event: string): string =>
  [
    `for d in "\${REFLOAT_HOME:-/nonexistent}" "\${XDG_STATE_HOME:-$HOME/.local/state}/refloat"`,
    '"$HOME/Library/Application Support/refloat"; do',
    `if [ -x "$d/bin/${RECORDER}" ]; then exec "$d/bin/${RECORDER}" ${agent} ${event}; fi; done; exit 0`,
  ].join(" ");

/** Double quotes where nothing in it means something to a shell inside them. */
const quoted = (path: string): string => (/["$`\\!\n]/.test(path) ? shellWord(path) : `"${path}"`);

/** Folders that a package runner makes for one start: nothing may be left pointing there. */
const PASSING = /[/\\](?:_npx|dlx|dlx-[^/\\]*|bunx-[^/\\]*)[/\\]/;

/**
 * What starts our program from another one: its name where that is what a shell finds, else its path. Null: it was only fetched for this
 * one start (npx and the like).
 */
export function ownProgram(path: string, cwd: string, env: Environment): string | null {
  const own = readOrNull(() => realpathSync(path)) ?? path;
  if (PASSING.test(own)) return null;
  const found = findProgram("refloat", cwd, env);
  const isNamed = found.kind === "found" && !/[/\\]node_modules[/\\]\.bin[/\\]/.test(found.path);
  return isNamed && readOrNull(() => realpathSync(found.path)) === own ? "refloat" : own;
}

/** The text of a plugin of ours: what it is, where refloat may be, then the package's own lines. */
export const pluginText = (homes: readonly string[] | null, parts: readonly string[]): string =>
  [
    "// refloat: writes down what happens here, so that a dead session can be gone on with. `refloat uninstall` takes this file away.",
    'import * as child from "node:child_process";',
    'import * as crypto from "node:crypto";',
    'import * as fs from "node:fs";',
    'import * as os from "node:os";',
    'import * as path from "node:path";',
    "",
    homes === null
      ? `const REFLOAT_HOMES = [
  path.join(process.env.XDG_STATE_HOME || path.join(os.homedir(), ".local/state"), "refloat"),
  path.join(os.homedir(), "Library/Application Support/refloat"),
];`
      : `const REFLOAT_HOMES = ${JSON.stringify(homes)};`,
    "",
    ...parts,
  ].join("\n");
