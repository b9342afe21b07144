/**
 * A workspace in which agents were started plainly, and nobody had installed anything: the transcripts of fixtures in the user's home, with
 * this workspace's paths in place of those they were recorded in, and the files as the script of that run left them.
 */
import {
  cpSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { homeOf } from "./fixture-home.ts";

export const FIXTURES = join(import.meta.dirname, "transcripts");

/** Where the runs were recorded. */
const RECORDED_IN = /\/srv\/agents\/repo-[a-zA-Z0-9-]+/g;

export type Tree = Readonly<Record<string, string>>;

export interface HeardPlace extends Place {
  readonly repo: TestRepository;
  /** Another transcript of another run, of this workspace or of the one at `root`; `edit` changes what it says. */
  leave(agent: string, which: string, options?: LeaveOptions): void;
  write(tree: Tree): void;
  inspected(options?: { readonly cwd?: string }): Promise<Inspected>;
}

export interface LeaveOptions {
  readonly root?: string;
  readonly edit?: (text: string) => string;
}

export interface Inspected {
  readonly report: JsonObject;
  /** Verdict and owner of every path that differs from HEAD. */
  readonly files: Readonly<Record<string, { verdict: string; owner: string; rules: readonly string[] }>>;
}

/** `committed`: what HEAD has. */
export function heardPlace(committed: Tree = { "README.md": "hello\n" }): HeardPlace {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  const write = (tree: Tree): void => {
    for (const [path, text] of Object.entries(tree)) repo.write(path, text);
  };
  write(committed);
  repo.commit();
  return {
    ...place,
    repo,
    write,
    leave: (agent, which, { root = place.workspace, edit } = {}) => {
      const told = (text: string): string => {
        const here = text.replace(RECORDED_IN, root);
        return edit ? edit(here) : here;
      };
      const home = homeOf(moved(join(FIXTURES, agent, which), told));
      // Aider keeps its own beside the work.
      cpSync(home, agent === "aider" ? root : place.home, { recursive: true });
    },
    inspected: async (options = {}) => {
      const { json } = await place.json(["inspect"], options);
      return { report: json, files: filesOf(json) };
    },
  };
}

function moved(fixture: string, told: (text: string) => string): string {
  const copy = join(temporaryFolder(), "fixture");
  cpSync(fixture, copy, { recursive: true });
  for (const name of readdirSync(copy, { recursive: true, encoding: "utf8" })) {
    const path = join(copy, name);
    const stat = lstatSync(path);
    if (stat.isFile()) writeFileSync(path, told(readFileSync(path, "utf8")));
    if (!stat.isSymbolicLink()) continue;
    // gptme names its folder by a link.
    const to = told(readlinkSync(path));
    rmSync(path);
    symlinkSync(to, path);
  }
  return copy;
}

function filesOf(report: JsonObject): Inspected["files"] {
  return Object.fromEntries(
    (report.groups ?? []).flatMap((group: JsonObject) =>
      group.changes.map((file: JsonObject) => [
        file.path,
        {
          verdict: group.verdict,
          owner: file.owner,
          rules: group.reasons.map(({ rule }: JsonObject) => rule),
        },
      ]),
    ),
  );
}
