/**
 * What a few tests need of the machine beyond node and git. What a test can set up for itself it does (mounts and
 * namespaces of its own need no root where user namespaces are allowed); where the machine has not got it, the test is
 * skipped with a note, and `test/support/not-shown.ts` says loudly at the end what was not shown and how to see it.
 * REFLOAT_TEST_FULL=1, which CI sets, allows no skip: there the test fails with the same words.
 *
 * The functions that use a thing ask for it (`unshareArguments`, `traced`, `atTerminal`), so that no test can forget to.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { TestRunner } from "vitest";
import { AGENTS, agentsRoot, isInstalled, isOlderInstalled } from "../agents/real/agent-clis.ts";
import { ASKED_FOR } from "./asked-for.ts";
import { BIN } from "./cli.ts";
import { hasMastra } from "./runtimes.ts";

interface Need {
  /** Said as "needs ...". */
  readonly what: string;
  /** What to do to see the test. */
  readonly how: string;
  /** Not freely licensed: only where somebody asked for it. Without it its tests are said not to be shown, and no run fails for it. */
  readonly isAskedFor?: true;
  isThere(): boolean;
}

/** Nobody's ids on Linux: they own nothing. */
export const NOBODY = { uid: 65_534, gid: 65_534 } as const;

const NAMESPACES = "run as root, or where user namespaces are allowed (not in most containers)";

/** Those that anybody may install; with the Node that runs them. */
const FREE_AGENTS = ["node22", "pi", "codex", "gemini", "opencode", "opencode-plugin", "qwen", "continue"];

const NEEDS = {
  mounts: {
    what: "mounts of its own",
    how: NAMESPACES,
    isThere: () =>
      succeeds("unshare", [...ownUser(), "--mount", "--", "mount", "-t", "tmpfs", "tmpfs", tmpdir()]),
  },
  "mounts of a user": {
    what: "mounts of an ordinary user's own",
    how: "run where user namespaces are allowed (not in most containers)",
    isThere: () => {
      const mine = process.getuid?.() ?? NOBODY.uid;
      const uid = mine === 0 ? NOBODY.uid : mine;
      const again = 'unshare --user --map-user="$0" --map-group="$0" true';
      const script = `mount -t tmpfs tmpfs /mnt && ${again}`;
      const words = ["--user", "--map-root-user", "--mount", "--", "sh", "-c", script, String(uid)];
      return succeeds("unshare", words, { cwd: "/", ...(mine === 0 ? NOBODY : {}) });
    },
  },
  "pid namespace": {
    what: "a pid namespace of its own",
    how: NAMESPACES,
    isThere: () => succeeds("unshare", [...ownUser(), "--pid", "--fork", "--mount-proc", "--", "true"]),
  },
  strace: {
    what: "strace, allowed to trace",
    how: "apt-get install strace",
    isThere: () => succeeds("strace", ["-qq", "-o", "/dev/null", "true"]),
  },
  "another user": {
    what: "files of another user",
    how: "run as root, in a checkout that other users may read",
    isThere: () => process.getuid?.() === 0 && canBeNobody(),
  },
  "bound by modes": {
    what: "a user whom file modes bind",
    how: "run as an ordinary user, or as root in a checkout that other users may read",
    isThere: () => process.getuid?.() !== 0 || canBeNobody(),
  },
  "immutable files": {
    what: "files marked immutable",
    how: "run as root on a file system that knows chattr +i",
    isThere: () => canMarkImmutable(),
  },
  pgbouncer: {
    what: "pgbouncer",
    how: "apt-get install pgbouncer",
    isThere: () => succeeds("/usr/sbin/pgbouncer", ["--version"]),
  },
  openssl: {
    what: "openssl",
    how: "apt-get install openssl",
    isThere: () => succeeds("openssl", ["version"]),
  },
  tmux: {
    what: "tmux",
    how: "apt-get install tmux",
    isThere: () => succeeds("tmux", ["-V"]),
  },
  busybox: {
    what: "busybox, whose shell is Alpine's",
    how: "apt-get install busybox",
    isThere: () => succeeds("busybox", ["sh", "-c", "true"]),
  },
  zsh: {
    what: "zsh",
    how: "apt-get install zsh",
    isThere: () => succeeds("zsh", ["-f", "-c", "true"]),
  },
  fish: {
    what: "fish",
    how: "apt-get install fish",
    isThere: () => succeeds("fish", ["--no-config", "-c", "true"]),
  },
  terminal: {
    what: "a pseudo-terminal",
    how: "npm ci with optional packages (@lydell/node-pty)",
    isThere: () => hasPackage("@lydell/node-pty"),
  },
  "agent CLIs": {
    what: "the real agent CLIs and a network namespace of its own",
    how: `npm run setup:agents, iproute2, and ${NAMESPACES}`,
    isThere: () =>
      FREE_AGENTS.every((name) => isInstalled(agentsRoot(), name)) &&
      succeeds("unshare", [...ownUser(), "--net", "--pid", "--fork", "--", "ip", "link", "set", "lo", "up"]),
  },
  "older agent CLIs": {
    what: "an older version of each agent CLI beside the newer",
    how: "npm run setup:agents -- --all --older",
    isThere: () =>
      AGENTS.every((name) => isInstalled(agentsRoot(), name) && isOlderInstalled(agentsRoot(), name)),
  },
  "Claude Agent SDK": {
    what: "the Claude Agent SDK and Claude Code",
    how: `npm run setup:agents -- --all (415 MB, ${ASKED_FOR})`,
    isAskedFor: true,
    isThere: () => ["claude", "claude-agent-sdk"].every((name) => isInstalled(agentsRoot(), name)),
  },
  "Claude Code": {
    what: "Claude Code",
    how: `npm run setup:agents -- --all (${ASKED_FOR})`,
    isAskedFor: true,
    isThere: () => isInstalled(agentsRoot(), "claude"),
  },
  "GitHub Copilot CLI": {
    what: "GitHub Copilot CLI",
    how: `npm run setup:agents -- --all (${ASKED_FOR})`,
    isAskedFor: true,
    isThere: () => isInstalled(agentsRoot(), "copilot"),
  },
  Mastra: {
    what: "Mastra and the newest Node",
    how: "npm run setup:runtimes",
    isThere: hasMastra,
  },
  chromium: {
    what: "Chromium",
    how: "apt-get install chromium, or REFLOAT_CHROMIUM=/path/to/one",
    isThere: () => chromiumPath() !== null,
  },
  proc: {
    what: "Linux's /proc",
    how: "run on Linux",
    isThere: () => existsSync("/proc/self/stat"),
  },
} as const satisfies Record<string, Need>;

/** Debian's, or the one that is named; null: there is none. */
export function chromiumPath(): string | null {
  const named = process.env.REFLOAT_CHROMIUM;
  return (
    [...(named ? [named] : []), "/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) =>
      existsSync(path),
    ) ?? null
  );
}

export type NeedName = keyof typeof NEEDS;

const found = new Map<NeedName, boolean>();

/** Whether the machine has it; looked at once per process. */
export function has(name: NeedName): boolean {
  const known = found.get(name) ?? NEEDS[name].isThere();
  found.set(name, known);
  return known;
}

/** Ends the test here, skipped with a note, where the machine has not got it; with REFLOAT_TEST_FULL it fails. */
export function need(...names: readonly NeedName[]): void {
  for (const name of names) {
    if (has(name)) continue;
    const { what, how, isAskedFor }: Need = NEEDS[name];
    const note = `needs ${what}: ${how}`;
    const test = TestRunner.getCurrentTest();
    if ((process.env.REFLOAT_TEST_FULL === "1" && !isAskedFor) || !test)
      throw new Error(`Not shown here: ${note}`);
    test.context.skip(note);
  }
}

/** The real agents, and this one where nobody is made to install it: that it is not shown is said. */
export function needAgent(agent: string): void {
  need("agent CLIs");
  if (agent === "claude") need("Claude Code");
  if (agent === "copilot") need("GitHub Copilot CLI");
}

/** The arguments of unshare(1) for namespaces of one's own, also for a user who is not root. */
export function unshareArguments(
  ...wanted: readonly ("--mount" | "--pid" | "--fork" | "--kill-child" | "--mount-proc")[]
): string[] {
  need(wanted.includes("--pid") ? "pid namespace" : "mounts");
  return [...ownUser(), ...wanted];
}

function ownUser(): string[] {
  return process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
}

function succeeds(command: string, args: readonly string[], options: object = {}): boolean {
  return spawnSync(command, args, { stdio: "ignore", ...options }).status === 0;
}

const canBeNobody = (): boolean => succeeds("test", ["-r", BIN], { cwd: "/", ...NOBODY });

function hasPackage(name: string): boolean {
  try {
    createRequire(import.meta.url)(name);
    return true;
  } catch (_absent) {
    return false;
  }
}

function canMarkImmutable(): boolean {
  const script = 'f=$(mktemp) && chattr +i "$f" && chattr -i "$f"; code=$?; rm -f "$f"; exit $code';
  return succeeds("sh", ["-c", script]);
}
