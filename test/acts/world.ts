/**
 * The world of the kill sweep: a repository full of uncommitted work of every kind, something of the user's own that
 * no plan names, a store, and three drafts (tree, index, commit) that lead from the one state to another and back.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { IndexEdit, PathPut, PlanDraft } from "../../src/acts/plans/draft.ts";
import { stateAt } from "../../src/acts/primitive/tree/state-at.ts";
import type { SessionId } from "../../src/model/ids.ts";
import type { PathName } from "../../src/model/path-name.ts";
import type { PathState, PresentState } from "../../src/model/path-state.ts";
import { openRawStore } from "../../src/store/open-raw-store.ts";
import type { Store } from "../../src/store/store.ts";
import type { StagedEntry } from "../../src/workspace/git/index-file.ts";
import { openWorkspace, type Workspace } from "../../src/workspace/opening/workspace.ts";
import { ensureSession } from "../../src/workspace/sessions/capture-session.ts";
import { treeOf } from "../support/acting.ts";
import { DOOR_ENV, type TestRepository, testRepository } from "../support/git-repository.ts";

export type DraftName = "tree" | "groups" | "index" | "commit";

export interface World {
  readonly base: string;
  readonly repo: TestRepository;
  readonly session: SessionId;
  readonly drafts: Readonly<Record<DraftName, PlanDraft>>;
  /** The state everything must be able to come back to. */
  readonly original: WholeState;
  withStore<T>(use: (store: Store, workspace: Workspace) => Promise<T>): Promise<T>;
  remove(): void;
}

/** Everything S5 speaks of. */
export interface WholeState {
  readonly tree: Readonly<Record<string, string>>;
  readonly index: string;
  readonly refs: string;
}

const FOLDERS = 30;

export async function makeWorld(files: number): Promise<World> {
  // A kill needs no disk: what a process has written is there for the next one. Power cuts are not swept here.
  const place = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const base = mkdtempSync(join(place, "refloat-acts-"));
  const repo = testRepository(join(base, "repo"));
  const clean = new Map<string, PathState>();
  const see = (path: string): PathState => {
    const seen = stateAt(Buffer.from(join(repo.root, path)));
    return seen.kind === "state" ? seen.state : null;
  };
  writeClean(repo, files);
  const paths = Array.from({ length: files }, (_, i) => pathOf(i));
  const more = ["pkg", "pkg/m.py", "pkg/deep/x.py"];
  for (const path of [...paths, ...more]) clean.set(path, see(path));
  const withStore: World["withStore"] = async (use) => {
    const store = await openRawStore(join(base, "refloat.db"), { thread: false });
    try {
      return await use(store, openWorkspace(repo.root, { env: DOOR_ENV }));
    } finally {
      await store.close();
    }
  };
  const session = "sweep" as SessionId;
  await withStore(async (store) => {
    await ensureSession(store, session, { agent: "t", workspace: repo.root, goal: null, name: null });
    for (let i = 0; i < files; i++) await store.putContents([Buffer.from(cleanText(i))]);
    await store.putContents([Buffer.from("real")]);
  });
  const news = makeDirty(repo, files);
  const puts = [...paths, ...more, ...news].flatMap((path): PathPut[] => {
    const [expect, put] = [
      see(path),
      path === "pkg" ? LINK(clean) : belowLink(path) ? null : (clean.get(path) ?? null),
    ];
    const isSame = JSON.stringify(expect) === JSON.stringify(put);
    return isSame ? [] : [{ path: path as PathName, group: "g", expect, put }];
  });
  const drafts = draftsOf(repo, puts);
  for (const [name, draft] of Object.entries(drafts))
    writeFileSync(join(base, `${name}.json`), JSON.stringify(draft));
  const remove = (): void => rmSync(base, { recursive: true, force: true });
  return { base, repo, session, drafts, original: wholeState(repo), withStore, remove };
}

const belowLink = (path: string): boolean => path.startsWith("pkg/");
const LINK = (clean: ReadonlyMap<string, PathState>): PathState => clean.get("pkg") as PresentState;
const pathOf = (i: number): string => `d${i % FOLDERS}/f${i}`;
const cleanText = (i: number): string => `clean ${i}\n`.repeat(5 + (i % 40));

function writeClean(repo: TestRepository, files: number): void {
  for (let i = 0; i < files; i++) repo.write(pathOf(i), cleanText(i));
  repo.write("real/m.py", "m\n");
  symlinkSync("real", join(repo.root, "pkg"));
  repo.write(".gitignore", "__pycache__/\n");
  repo.write("mine/staged", "1\n");
  repo.write("mine/dirty", "1\n");
  repo.commit();
  repo.git("repack", "-adq");
}

/** One of each kind in every twenty; a whole folder gone, whole folders new; a link that became a folder. */
function makeDirty(repo: TestRepository, files: number): string[] {
  const at = (path: string): string => join(repo.root, path);
  for (let i = 0; i < files; i++) {
    const path = pathOf(i);
    if (i % FOLDERS === 7) rmSync(at(path));
    else if (i % 20 === 1) chmodSync(at(path), 0o755);
    else if (i % 20 === 2) {
      rmSync(at(path));
      symlinkSync(`nowhere ${i}`, at(path));
    } else if (i % 20 === 3) {
      repo.write(path, `secret ${i}\n`);
      chmodSync(at(path), 0o600);
    } else repo.write(path, `dirty ${i}\n`.repeat(3 + (i % 50)));
  }
  rmSync(at("d7"), { recursive: true });
  rmSync(at("pkg"));
  repo.write("pkg/m.py", "session\n");
  repo.write("pkg/deep/x.py", "deeper\n");
  repo.write("pkg/__pycache__/m.pyc", Buffer.from([1, 2, 3]));
  const news = Array.from({ length: Math.ceil(files / 20) }, (_, i) => `new${i % 3}/sub/n${i}`);
  for (const path of news) repo.write(path, `new ${path}\n`);
  repo.write("mine/staged", "2\n");
  repo.git("add", "mine/staged");
  repo.write("mine/dirty", "2\n");
  return news;
}

function draftsOf(repo: TestRepository, puts: readonly PathPut[]): Record<DraftName, PlanDraft> {
  const base = { session: null, note: null };
  const before = entriesOf(repo, {});
  const env = { GIT_INDEX_FILE: join(repo.root, ".git/sweep-index") };
  execFileSync("cp", [join(repo.root, ".git/index"), env.GIT_INDEX_FILE]);
  gitWith(
    repo,
    env,
    "add",
    "-A",
    ...Array.from({ length: FOLDERS }, (_, i) => `d${i}`),
    "new0",
    "new1",
    "new2",
  );
  const after = entriesOf(repo, env);
  const tree = gitWith(repo, env, "write-tree");
  rmSync(env.GIT_INDEX_FILE);
  const head = repo.git("rev-parse", "HEAD");
  const commit = repo.git("commit-tree", "-p", head, "-m", "by the sweep", tree);
  const index = [...new Set([...before.keys(), ...after.keys()])].flatMap((path): IndexEdit[] => {
    const [expect, put] = [before.get(path) ?? [], after.get(path) ?? []];
    const isSame = JSON.stringify(expect) === JSON.stringify(put);
    return isSame ? [] : [{ path: path as PathName, group: "g", expect, put }];
  });
  const halves = puts.map((put, i) => ({
    ...put,
    group: put.path.startsWith("pkg") ? "pkg" : `half ${i % 2}`,
  }));
  return {
    tree: { ...base, act: "restore", puts },
    groups: { ...base, act: "discard", puts: halves },
    index: { ...base, act: "park", puts: [], index },
    commit: {
      ...base,
      act: "commit",
      puts: [],
      index,
      refs: [{ ref: "refs/heads/main", expect: head, put: commit }],
      head: "refs/heads/main",
    },
  };
}

function entriesOf(repo: TestRepository, env: Record<string, string>): Map<string, StagedEntry[]> {
  const found = new Map<string, StagedEntry[]>();
  for (const line of gitWith(repo, env, "ls-files", "-s", "-z").split("\0").filter(Boolean)) {
    const [head = "", path = ""] = line.split("\t");
    const [mode = "", id = "", stage = ""] = head.split(" ");
    found.set(path, [{ mode: Number.parseInt(mode, 8), id, stage: Number(stage) }]);
  }
  return found;
}

function gitWith({ root }: TestRepository, env: Record<string, string>, ...args: string[]): string {
  const all = {
    PATH: process.env.PATH,
    HOME: root,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
  };
  const options = { cwd: root, encoding: "utf8", env: { ...all, ...env }, maxBuffer: 2 ** 28 } as const;
  return execFileSync("git", args, options).trimEnd();
}

export function wholeState(repo: TestRepository): WholeState {
  return {
    tree: treeOf(repo.root),
    index: gitWith(repo, { GIT_OPTIONAL_LOCKS: "0" }, "ls-files", "-s", "-v"),
    refs: `${repo.git("for-each-ref")} ${repo.git("symbolic-ref", "HEAD")}`,
  };
}
