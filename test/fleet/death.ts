/** A machine that is killed in the middle of a session, and what others see of it afterwards. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { BIN, type Ran } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type Host, startHost } from "./host.ts";

/** Two commits on a branch of its own that nobody pushes, then edits, an untracked file, a removed one; killed. Started again it tells what it sees. */
export const AGENT = `if [ -e new.txt ]; then git rev-parse HEAD; git status --porcelain --untracked-files=all; exit 0; fi
  git checkout -qb topic; for n in 1 2; do echo $n > c$n.txt; git add -A; git commit -qm "the agent's $n"; done
  echo two >> a.txt; echo new > new.txt; rm gone.txt; "$0" "$1" capture > /dev/null; touch .git/ready; sleep 1000`;
export const STATUS = [" D gone.txt", " M a.txt", "?? new.txt"];

export interface MachineDeath {
  readonly origin: string;
  readonly dead: Host;
  readonly work: string;
  readonly session: string;
  readonly head: string;
}

/** The machine is gone with all that ran on it; its disk is, too, for whoever goes on. */
/** `store`: shared by all; null: the machine's own. */
export async function diedOn(store: string | null, agent = AGENT): Promise<MachineDeath> {
  const origin = testRepository(temporaryFolder());
  for (const name of ["a.txt", "gone.txt"]) origin.write(name, "one\n");
  origin.commit("first");
  origin.write("b.txt", "one\n");
  origin.commit("base");
  const dead = startHost("dead", store);
  const work = join(dead.disk, "work");
  dead.git(dead.disk, "clone", "-q", origin.root, work);
  const child = dead.start(["run", "--", "sh", "-c", agent, process.execPath, BIN], { cwd: work });
  await until(join(work, ".git/ready"));
  const gone = new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGKILL");
  await gone;
  const { sessions } = (await dead.json(["sessions"], { cwd: work })).json;
  return {
    origin: origin.root,
    dead,
    work,
    session: sessions[0].id,
    head: dead.git(work, "rev-parse", "HEAD"),
  };
}

export async function until(path: string): Promise<void> {
  for (let looks = 0; !existsSync(path); looks++) {
    if (looks > 1200) throw new Error(`${path} does not come`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** What the agent saw: its commit, and the changes. */
export function seenBy({ stdout }: Ran): string[] {
  const [head = "", ...changes] = stdout.trimEnd().split("\n");
  return [head, ...changes.sort()];
}

export const statusOf = (host: Host, tree: string): string[] =>
  host.git(tree, "status", "--porcelain", "--untracked-files=all").split("\n").filter(Boolean).sort();

export async function broken(host: Host, session: string, cwd: string): Promise<void> {
  const ran = await host.refloat(["claim", "break", session, "--reason", "its machine is gone", "--yes"], {
    cwd,
  });
  expect(ran.code, ran.stderr).toBe(0);
}
