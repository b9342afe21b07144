/**
 * A stranger's machine: a home, a repository, git with an identity, and the built program, driven by what DESIGN 10 says and
 * nothing else. Nothing of src/ is imported here or in the tests beside it: they hold for whoever installs the package.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { onTestFinished, vi } from "vitest";

export const PACKAGE = resolve(import.meta.dirname, "../..");
const { bin } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as {
  bin: { refloat: string };
};
export const PROGRAM = join(PACKAGE, bin.refloat);
/** Long enough for a machine ten times slower: it only ends a program that hangs. */
const PATIENCE_MS = 300_000;
vi.setConfig({ testTimeout: 2 * PATIENCE_MS });

// biome-ignore lint/suspicious/noExplicitAny: a stranger reads into whatever a command printed.
export type Printed = Record<string, any>;

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Ways {
  readonly cwd?: string;
  /** Undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface Stranger {
  readonly home: string;
  readonly repo: string;
  git(...args: string[]): string;
  write(path: string, text: string): void;
  read(path: string): string;
  refloat(args: readonly string[], ways?: Ways): Ran;
  /** With `--json`; stdout must be one object. */
  json(args: readonly string[], ways?: Ways): { readonly code: number | null; readonly json: Printed };
}

export function stranger(): Stranger {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "refloat-stranger-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const home = join(folder, "home");
  const repo = join(folder, "repo");
  mkdirSync(home);
  mkdirSync(repo);
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Ann\n\temail = ann@example.invalid\n");
  const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: "1", LANG: "C.UTF-8" };
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: repo, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), text);
  };
  git("init", "-q", "-b", "main");
  write("a.txt", "one\n");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  const refloat = (args: readonly string[], ways: Ways = {}): Ran => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
      cwd: ways.cwd ?? repo,
      env: { ...env, ...ways.env },
      encoding: "utf8",
      timeout: PATIENCE_MS,
      killSignal: "SIGKILL",
    });
    return { code: status, stdout, stderr };
  };
  const json = (args: readonly string[], ways?: Ways): { code: number | null; json: Printed } => {
    const { code, stdout } = refloat(["--json", ...args], ways);
    return { code, json: JSON.parse(stdout) as Printed };
  };
  return { home, repo, git, write, read: (path) => readFileSync(join(repo, path), "utf8"), refloat, json };
}

/** A call of the program from inside an agent's script. */
export const inside = (words: string): string => `"${process.execPath}" "${PROGRAM}" ${words}`;
