/** An agent's own conversation goes on on another machine, from what the shared store kept of it while the agent lived (W8, W3). */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { freshSchema } from "../support/postgres.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { broken, until } from "./death.ts";
import { type Host, startHost } from "./host.ts";

const { url } = freshSchema();
const SCRIPT = join(import.meta.dirname, "talking-agent.mjs");
const WANTED = "please do the work";

/** The agent as it is installed there. */
function installed(host: Host, agent: string): Readonly<Record<string, string>> {
  const bin = join(host.disk, "bin");
  mkdirSync(bin, { recursive: true });
  const program = `#!/bin/sh\nexec '${process.execPath}' '${SCRIPT}' ${agent} "$@"\n`;
  writeFileSync(join(bin, agent), program, { mode: 0o755 });
  return { PATH: `${bin}:${process.env.PATH ?? ""}` };
}

interface Lost {
  readonly origin: string;
  readonly session: string;
  readonly nativeId: string;
  /** What the machine that is lost had of it. */
  readonly had: string;
}

const logOf = async (host: Host, session: string, cwd: string): Promise<string> =>
  JSON.stringify((await host.json(["log", session], { cwd })).json.items);

const keptOf = async (host: Host, session: string, cwd: string): Promise<JsonObject[]> =>
  (await host.json(["transcript", "restore", session], { cwd })).json.kept ?? [];

/** It was kept once, said more, and its machine went with its disk: nothing looked at its end. */
async function lostWith(agent: string, command: readonly string[] = [agent, "-p", WANTED]): Promise<Lost> {
  const origin = testRepository(temporaryFolder());
  origin.write("a.txt", "one\n");
  origin.commit("base");
  const dead = startHost("dead", url);
  const work = join(dead.disk, "work");
  dead.git(dead.disk, "clone", "-q", origin.root, work);
  const here = { cwd: work, env: installed(dead, agent) };
  const child = dead.start(["run", "--", ...command], here);
  await until(join(work, ".git/ready"));
  const session: string = (await dead.json(["sessions"], here)).json.sessions[0].id;
  while ((await keptOf(dead, session, work)).length === 0);
  writeFileSync(join(work, ".git/more"), "");
  while (!(await logOf(dead, session, work)).includes("before it was lost: 19"));
  const gone = new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGKILL");
  await gone;
  const path = readFileSync(join(work, ".git/ready"), "utf8");
  const [kept] = await keptOf(dead, session, work);
  return {
    ...{ origin: origin.root, session, had: readFileSync(path, "utf8") },
    nativeId: String(kept?.native_id ?? ""),
  };
}

async function cloneOn(host: Host, { origin, session }: Lost): Promise<string> {
  const clone = join(host.disk, "elsewhere");
  host.git(host.disk, "clone", "-q", origin, clone);
  await broken(host, session, clone);
  return clone;
}

/** Nothing was left in its tree, so where it goes on is said. */
const GO_ON = ["--recreate", "--yes", "--to", "../mine"];

/** What is said until a new conversation has begun; then its machine is gone, too. */
async function begunAnew(next: Host, agent: string, { session }: Lost, clone: string): Promise<string> {
  const running = next.start(["resume", session, ...GO_ON], { cwd: clone, env: installed(next, agent) });
  let said = "";
  running.stderr?.setEncoding("utf8").on("data", (piece: string) => {
    said += piece;
  });
  const gone = new Promise((resolve) => running.once("close", resolve));
  const ready = join(next.git(clone, "rev-parse", "--absolute-git-dir"), "worktrees/mine/ready");
  await Promise.race([gone, until(ready)]);
  running.kill("SIGKILL");
  await gone;
  expect(existsSync(ready), said).toBe(true);
  return said;
}

describe("a conversation whose machine is gone", () => {
  it("goes on by its agent's own resume: it is there to the last whole line that was kept, what was lost is in the journal once, and what comes is heard (W8, D4)", async () => {
    const lost = await lostWith("claude");
    const next = startHost("next", url);
    const clone = await cloneOn(next, lost);
    const here = { cwd: clone, env: installed(next, "claude") };
    const ran = await next.refloat(["resume", lost.session, ...GO_ON], here);
    expect(ran.code, ran.stderr).toBe(0);
    const said = JSON.parse(ran.stdout) as { of: string; path: string; before: string; args: string[] };
    expect(said.of).toBe(lost.nativeId);
    expect(said.args).not.toContain("--session-id");
    expect(lost.had.startsWith(said.before)).toBe(true);
    expect(said.before.split("\n")).toHaveLength(3);
    expect(ran.stderr).toContain(
      `was brought here from the store: ${said.before.length} bytes, to ${said.path}`,
    );
    const log = await logOf(next, lost.session, clone);
    for (const words of ["please do the work", "I begin with the first part.", "before it was lost: 19"])
      expect(log.split(words).length - 1, words).toBe(1);
    expect(log.split("And now it is done, on another machine.").length - 1).toBe(1);
    expect(existsSync(join(next.disk, "home/refloat/brought"))).toBe(true);
    expect(readdirSync(join(next.disk, "home/refloat/brought"))).toEqual([]);
    expect(await keptOf(next, lost.session, clone)).toHaveLength(2);
  }, 300_000);

  it("that goes on only in a copy elsewhere is copied, and nothing in it is told twice (W8, D4)", async () => {
    const lost = await lostWith("pi");
    const next = startHost("next", url);
    const clone = await cloneOn(next, lost);
    const here = { cwd: clone, env: installed(next, "pi") };
    const ran = await next.refloat(["resume", lost.session, ...GO_ON], here);
    expect(ran.code, ran.stderr).toBe(0);
    expect((JSON.parse(ran.stdout) as { of: string }).of).toBe(lost.nativeId);
    const log = await logOf(next, lost.session, clone);
    for (const words of ["I begin with the first part.", "And now it is done, on another machine."])
      expect(log.split(words).length - 1, words).toBe(1);
  }, 300_000);

  it("is never put over another that is there: that is said, and a new one begins with the brief (W3)", async () => {
    const lost = await lostWith("claude");
    const next = startHost("next", url);
    const clone = await cloneOn(next, lost);
    const folder = join(next.disk, "home/.claude/projects/-elsewhere");
    mkdirSync(folder, { recursive: true });
    const other = join(folder, `${lost.nativeId}.jsonl`);
    const [first = ""] = lost.had.split("\n");
    writeFileSync(other, `${first}\n`);
    const said = await begunAnew(next, "claude", lost, clone);
    expect(said).toContain(`${other} is another, and is left as it is; a new one is begun, with the brief`);
    expect(readFileSync(other, "utf8")).toBe(`${first}\n`);
  }, 300_000);

  it("of an agent that is bound to its folder is put nowhere, nor where another agent goes on: the first is said (W8)", async () => {
    const lost = await lostWith("qwen");
    const next = startHost("next", url);
    const clone = await cloneOn(next, lost);
    const said = await begunAnew(next, "qwen", lost, clone);
    expect(said).toContain("Qwen Code goes on only in the folder it was begun in");
    const files = readdirSync(join(next.disk, "home/.qwen"), { recursive: true, encoding: "utf8" });
    expect(files.filter((name) => name.includes(lost.nativeId))).toEqual([]);
  }, 300_000);
});
