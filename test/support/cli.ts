/** Runs the built program as a user does: a process of its own, a store of its own, no terminal. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { openStore, type RefloatStore } from "../../src/app/store/open-store.ts";
import type { Owner } from "../../src/model/owner.ts";
import { selfOwner } from "../../src/platform/identity.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const ROOT = join(import.meta.dirname, "../..");
/** REFLOAT_TEST_BIN: the same tests against a program built or installed elsewhere. */
export const BIN = process.env.REFLOAT_TEST_BIN || join(ROOT, "dist/cli/bin.js");

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: string | Uint8Array;
  /** Options of node itself, before the program. */
  readonly node?: readonly string[];
}

export interface Place {
  /** REFLOAT_HOME. */
  readonly home: string;
  readonly store: string;
  readonly workspace: string;
  refloat(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** The parsed object of `--json`, with the exit code. */
  json(args: readonly string[], options?: RunOptions): Promise<{ code: number | null; json: JsonObject }>;
  start(args: readonly string[], options?: RunOptions): ChildProcess;
  /** The store by the library, closed when `use` is done. */
  withStore<T>(use: (store: RefloatStore) => Promise<T>): Promise<T>;
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads into whatever a command printed.
export type JsonObject = Record<string, any>;

/** A home, a store and a workspace nobody else has; or those that the caller keeps. */
export function makePlace(folders?: Pick<Place, "home" | "workspace">): Place {
  const { home, workspace } = folders ?? { home: temporaryFolder(), workspace: temporaryFolder() };
  const store = join(home, "refloat.db");
  const start = (args: readonly string[], options: RunOptions = {}): ChildProcess =>
    spawn(process.execPath, [...(options.node ?? []), BIN, ...args], {
      cwd: options.cwd ?? workspace,
      env: { PATH: process.env.PATH, HOME: home, REFLOAT_HOME: home, ...options.env },
    });
  const refloat = async (args: readonly string[], options: RunOptions = {}): Promise<Ran> => {
    const child = start(args, options);
    child.stdin?.end(options.stdin ?? "");
    return ended(child);
  };
  return {
    home,
    store,
    workspace,
    refloat,
    start,
    json: async (args, options) => {
      const { code, stdout } = await refloat([...args, "--json"], options);
      return { code, json: JSON.parse(stdout) as JsonObject };
    },
    withStore: async (use) => {
      const opened = await openStore(store, { thread: false });
      try {
        return await use(opened);
      } finally {
        await opened.close();
      }
    },
  };
}

export async function ended(child: ChildProcess): Promise<Ran> {
  const collect = (stream: NodeJS.ReadableStream | null): (() => string) => {
    const pieces: Buffer[] = [];
    stream?.on("data", (piece: Buffer) => pieces.push(piece));
    return () => Buffer.concat(pieces).toString("utf8");
  };
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return { code, signal, stdout: stdout(), stderr: stderr() };
}

/** No process can have this number: it is above the kernel's own limit. */
const NO_PID = 4_194_999;

export const deadOwner = (label = "gone"): Owner => ({ ...selfOwner(label), pid: NO_PID, started: 1 });
export const unreachableOwner = (label = "boxed"): Owner => ({
  ...selfOwner(label),
  pid_namespace: "pid:[1]",
});
export const elsewhereOwner = (label = "far"): Owner => ({ ...selfOwner(label), host: "another-machine" });

/** A session cut off in the middle of a call: goal, one finished call, an open one, an input in its queue. */
export async function cutOffSession(place: Place, options: { id: string; name?: string }): Promise<void> {
  await place.withStore(async (store) => {
    const session = await store.begin({
      ...options,
      agent: "tester",
      workspace: place.workspace,
      goal: "Make it work",
      owner: deadOwner("tester"),
    });
    const turn = await session.turn("Please make it work");
    await turn.append({ role: "assistant", parts: "I will try." });
    const done = await turn.call({ id: "c1", tool: "read_file", input: { path: "a.txt" } });
    await done.result("hello");
    await turn.call({ id: "c2", tool: "deploy", input: { target: "staging" } });
    await session.enqueue("And one more thing", { from: "chat" });
    await session.operation("migrate", { paths: ["db/**"] });
    await session.decide("orm", "none", { reason: "small" });
  });
}
