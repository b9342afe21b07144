/** The recorder as agents call it: the shipped script, in each shell that a system may have as its own. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { type InboxEvent, parseInboxFile } from "../../src/agents/inbox/format.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

export const SCRIPT = resolve(import.meta.dirname, "../../hooks/refloat-hook");

const CANDIDATES: readonly (readonly string[])[] = [
  ["dash"],
  ["bash", "--posix"],
  ["busybox", "sh"],
  ["/bin/sh"],
];
const HERE = CANDIDATES.filter(
  ([program = "", ...args]) => spawnSync(program, [...args, "-c", "exit 7"]).status === 7,
);

function fileOf(program: string): string {
  const found = spawnSync("sh", ["-c", 'command -v "$1"', "sh", program], { encoding: "utf8" });
  return realpathSync(found.stdout.trim());
}

/** Those that are here, each once: where /bin/sh is dash by another name, dash is enough. Nobody is without one. */
export const SHELLS = HERE.filter(
  ([program = "", ...args], at) =>
    args.length > 0 ||
    HERE.findIndex(([other = "", ...more]) => more.length === 0 && fileOf(other) === fileOf(program)) === at,
);

const HOLDER = resolve(import.meta.dirname, "../../hooks/refloat-hold");

/** The same with what it holds trees with, as `init` puts it there. Without, it asks the program, as where there is no perl. */
export function holdingHome(home = temporaryFolder()): string {
  hookedHome(home);
  copyFileSync(HOLDER, join(home, "bin/refloat-hold"));
  return home;
}

/** A home with the recorder in it, and an empty inbox. */
export function hookedHome(home = temporaryFolder()): string {
  mkdirSync(join(home, "bin"), { recursive: true });
  mkdirSync(join(home, "inbox"), { mode: 0o700, recursive: true });
  copyFileSync(SCRIPT, join(home, "bin/refloat-hook"));
  chmodSync(join(home, "bin/refloat-hook"), 0o755);
  return home;
}

export interface HookCall {
  readonly shell?: readonly string[];
  readonly agent?: string;
  readonly event?: string;
  readonly input?: string | Buffer;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
}

export interface HookAnswer {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function callHook(home: string, call: HookCall = {}): HookAnswer {
  const { shell = ["sh"], agent = "claude", event = "PreToolUse", input = "{}" } = call;
  const [program = "sh", ...args] = shell;
  const { status, stdout, stderr } = spawnSync(
    program,
    [...args, join(home, "bin/refloat-hook"), agent, event],
    {
      input,
      cwd: call.cwd ?? home,
      env: { PATH: process.env.PATH ?? "", ...call.env },
      encoding: "utf8",
      ...(call.uid === undefined ? {} : { uid: call.uid, gid: call.uid }),
    },
  );
  return { status, stdout, stderr };
}

/** As an agent calls two entries of ours for one event, side by side: what each printed. */
export async function callTwice(home: string, call: HookCall): Promise<readonly string[]> {
  const { shell = ["sh"], agent = "claude", event = "SessionStart", input = "{}", cwd = home } = call;
  const [program = "sh", ...args] = [...shell, join(home, "bin/refloat-hook"), agent, event];
  const printed = [1, 2].map(async () => {
    const env = { PATH: process.env.PATH ?? "", ...call.env };
    const child = spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
    child.stdin.end(input);
    const parts: Buffer[] = [];
    child.stdout.on("data", (part: Buffer) => parts.push(part));
    await once(child, "close");
    return Buffer.concat(parts).toString();
  });
  return Promise.all(printed);
}

/** What was told here was told long ago: an event that comes now is no second call of the same. */
export function tellingsAreOld(home: string, cwd: string): void {
  const folder = join(home, "open", cwd);
  for (const name of readdirSync(folder))
    if (name.startsWith(".once.")) writeFileSync(join(folder, name), "0000000001\n");
}

export const SILENT: HookAnswer = { status: 0, stdout: "", stderr: "" };

export const waitingNames = (home: string): readonly string[] =>
  existsSync(join(home, "inbox"))
    ? readdirSync(join(home, "inbox")).filter((name) => name.endsWith(".hook"))
    : [];

export const heldNames = (home: string): readonly string[] =>
  readdirSync(join(home, "inbox")).filter((name) => name.endsWith(".held"));

export function recorded(home: string): readonly InboxEvent[] {
  return waitingNames(home)
    .toSorted()
    .map((name) => {
      const parsed = parseInboxFile(readFileSync(join(home, "inbox", name)));
      if (parsed.kind !== "event") throw new Error(`${name} is ${parsed.kind}`);
      return parsed.event;
    });
}
