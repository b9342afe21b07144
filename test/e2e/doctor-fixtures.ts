/**
 * A broken place for every check of the doctor, made by breaking a sound one: real files, real kills, real processes.
 * What another machine would have (its Node, its git, its file system) is put before the real program's eyes.
 */

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { hashOf } from "../../src/agents/install/ledger.ts";
import { openStore } from "../../src/app/store/open-store.ts";
import type { CheckId } from "../../src/doctor/checks.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { Connection } from "../../src/store/sqlite/connection.ts";
import { readMark, writeMark } from "../../src/store/sqlite/mark.ts";
import { noteTail } from "../../src/store/sqlite/note-tail.ts";
import { runActor } from "../acts/run-actor.ts";
import { makeWorld } from "../acts/world.ts";
import { claudeEvents, fakeAgent, hookedPlace } from "../hooks/hooked-place.ts";
import { killGroup, startSupervised, until } from "../recover/supervised.ts";
import { isAlive } from "../run/run-scene.ts";
import { BIN, cutOffSession, deadOwner, makePlace, type Place, unreachableOwner } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";
import { unshareArguments } from "../support/needs.ts";
import { pathWithout } from "../support/path-without.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runStepper } from "../workflow/run-stepper.ts";
import { sample } from "../workflow/samples.ts";

const STATE = "00-session-state.json";
const STALE = { owner_id: "gone", heartbeat: "2020-01-01T00:00:00Z", attempt_token: null, acquired: null };

/** How the doctor is run in a place. */
export interface Looking {
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly node?: readonly string[];
}

/** A store with a finished session and a state file at work: nothing is wrong. */
export async function sound(): Promise<Place> {
  const place = makePlace();
  await place.withStore(async (store) => {
    const session = await store.begin({ agent: "t", workspace: place.workspace });
    await session.finish();
  });
  await place.refloat(["state", "init"]);
  await place.refloat(["step", "start", "1", "--owner", "me"]);
  return place;
}

export const stateFile = (place: Place): string => join(place.workspace, STATE);
const editState = (place: Place, change: (text: string) => string): void =>
  writeFileSync(stateFile(place), change(readFileSync(stateFile(place), "utf8")));
const heldBy = (owner: ReturnType<typeof deadOwner>) => (place: Place) =>
  place.withStore(async (store) => {
    await store.begin({ id: "held", agent: "t", workspace: place.workspace, owner });
  });
/** A line of module text that the program runs before its own. */
const before = (text: string): Looking => ({
  node: ["--import", `data:text/javascript,${encodeURIComponent(text)}`],
});

/** Resolves with how to look at what it broke; with nothing, where the doctor is run as ever. */
type Break = (place: Place) => unknown;

/** As `init` notes that it set an agent up, so long ago. */
export function setUp({ home }: Place, agent: string, agoMs: number): void {
  mkdirSync(join(home, "install"), { recursive: true });
  const target = join(home, "settings", `${agent}.json`);
  const path = join(home, "install", `${hashOf(Buffer.from(target))}.json`);
  writeFileSync(
    path,
    JSON.stringify({
      ...{ version: 1, agent, scope: "user", form: "json", path: target, target },
      ...{ original: null, ours: [], mode: 0o600, folders: [] },
    }),
  );
  const at = new Date(Date.now() - agoMs);
  utimesSync(path, at, at);
}

/** A transcript of Codex, written just now; `line` is one more of it. */
function codexRan({ home, workspace }: Place, line: object = {}, version = "0.166.0"): void {
  const folder = join(home, ".codex/sessions/2026/11/16");
  mkdirSync(folder, { recursive: true });
  const id = "019a0000-0000-7000-8000-000000000001";
  const timestamp = "2026-11-16T14:02:00.000Z";
  const payload = {
    id,
    timestamp,
    cwd: workspace,
    originator: "codex_cli_rs",
    cli_version: version,
    source: "cli",
  };
  const first = { timestamp, type: "session_meta", payload };
  const lines = [first, ...(Object.keys(line).length > 0 ? [{ timestamp, ...line }] : [])];
  const text = lines.map((one) => `${JSON.stringify(one)}\n`).join("");
  writeFileSync(join(folder, `rollout-2026-11-16T14-02-00-${id}.jsonl`), text);
}

function recorder({ home }: Place, text = "#!/bin/sh\n"): void {
  mkdirSync(join(home, "bin"), { recursive: true });
  writeFileSync(join(home, "bin/refloat-hook"), text, { mode: 0o755 });
}

const HOUR_MS = 60 * 60_000;

/** A store with a content that this key sealed, and how to look at it with the key. */
async function keyed(place: Place, id: string): Promise<Looking> {
  const file = join(temporaryFolder(), "keys");
  const secret = Buffer.alloc(32, 3).toString("base64");
  writeFileSync(file, `${id} ${secret}\n`, { mode: 0o600 });
  const store = await openStore(place.store, { thread: false, keys: [{ id, secret }] });
  await store.putContent(Buffer.from("sealed")).finally(() => store.close());
  return { env: { REFLOAT_KEY_FILE: file } };
}

export const BREAK: Record<CheckId, Break> = {
  "recorder-missing": (place) => setUp(place, "codex", 0),
  "recorder-old": (place) => recorder(place, "#!/bin/sh\n# of another version\n"),
  "hooks-dead": (place) => {
    setUp(place, "codex", HOUR_MS);
    codexRan(place);
  },
  "perl-missing": (place) => {
    recorder(place, readFileSync(join(import.meta.dirname, "../../hooks/refloat-hook"), "utf8"));
    const holder = readFileSync(join(import.meta.dirname, "../../hooks/refloat-hold"));
    writeFileSync(join(place.home, "bin/refloat-hold"), holder);
    setUp(place, "codex", HOUR_MS);
    return { env: { PATH: pathWithout("perl") } };
  },
  "hooks-missing": (place) => codexRan(place),
  "agent-unknown": (place) => codexRan(place, { type: "of_next_year", payload: {} }),
  "agent-newer": (place) => codexRan(place, {}, "99.0.0"),
  "inbox-full": ({ home }) => {
    mkdirSync(join(home, "inbox"), { recursive: true });
    writeFileSync(join(home, "inbox/dropped"), "...");
  },
  "inbox-torn": ({ home }) => {
    mkdirSync(join(home, "inbox/torn"), { recursive: true });
    writeFileSync(join(home, "inbox/torn/00000000-0000000001-1.hook"), "refloat-hook 1\nagent codex\n");
  },
  "node-version": () =>
    before(`Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.9" } })`),
  "git-version": () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "git"), '#!/bin/sh\necho "git version 2.30.0"\n', { mode: 0o755 });
    return { env: { PATH: `${folder}:${process.env.PATH}` } };
  },
  "store-file-system": () =>
    before(`import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module";
      const real = fs.statfsSync; fs.statfsSync = (path, options) => Object.assign(real(path, options), { type: 0x6969 });
      syncBuiltinESMExports();`),
  "store-version": ({ store }) => {
    const connection = new Connection(store);
    connection.run("PRAGMA user_version = 999");
    connection.close();
  },
  "store-damage": async () => {
    // A place only the program itself has opened: a salvage is refused while anybody has the store open.
    const { home, store, workspace, refloat } = makePlace();
    await refloat(["state", "init"]);
    truncateSync(store, 0);
    return { cwd: workspace, env: { REFLOAT_HOME: home } };
  },
  "store-tail": ({ store }) => {
    const mark = readMark(store);
    if (!mark) throw new Error("no mark");
    const heads = new Map([...mark.heads].map(([session, seq]) => [session, seq + 1000]));
    writeMark(store, { ...mark, heads });
  },
  "store-losses": ({ store }) => {
    const connection = new Connection(store);
    noteTail(connection, { session: "cut", found: 3, expected: 7 });
    connection.close();
  },
  "store-open": () => ({ env: { REFLOAT_STORE: "postgres://nobody@127.0.0.1:9/none" } }),
  "store-read-only": ({ home }) => {
    chmodSync(home, 0o555);
    onTestFinished(() => chmodSync(home, 0o700));
    // Root is not bound by modes; what the folder says to whoever asks is put before the program's eyes.
    return before(`import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module";
      const real = fs.accessSync; fs.accessSync = (path, mode) => {
        if (path === ${JSON.stringify(home)} && (fs.statSync(path).mode & 0o200) === 0)
          throw Object.assign(new Error("EACCES"), { code: "EACCES" });
        return real(path, mode); };
      syncBuiltinESMExports();`);
  },
  "store-permissions": ({ store }) => chmodSync(store, 0o644),
  "contents-locked": async (place) => {
    await keyed(place, "k1");
    return {};
  },
  "contents-open": async (place) => {
    const looking = await keyed(place, "k1");
    await place.withStore((store) => store.putContent(Buffer.from("put without a key")));
    return looking;
  },
  "contents-sealed": (place) => keyed(place, "k1"),
  "disk-space": () => ({}), // on a disk of its own: see smallDiskFindings
  "session-interrupted": (place) => cutOffSession(place, { id: "cut-off" }),
  "session-unread": async (place) => {
    const at = hookedPlace();
    const [agent, events] = [fakeAgent(), claudeEvents("44444444-2222-4333-8444-555555555555", at.workspace)];
    at.tell("claude", "UserPromptSubmit", events.prompt("go"), agent);
    await agent.kill();
    await at.refloat(["status"], { cwd: place.workspace });
    return { env: { REFLOAT_HOME: at.home }, cwd: temporaryFolder() };
  },
  "session-suspended": (place) =>
    place.withStore(async (store) => {
      const session = await store.begin({ id: "loops", agent: "t", workspace: place.workspace });
      await session.release();
      await store.raw.append("loops" as SessionId, "anyone", [
        { id: "s" as never, kind: "session.suspended", atMs: 1, body: { reason: "r" } },
      ]);
    }),
  "session-unsupervised": async (place) => {
    const { supervisor, agent } = await startSupervised({ place } as Parameters<typeof startSupervised>[0]);
    onTestFinished(() => killGroup(agent));
    await supervisor.kill();
  },
  "claim-stale": heldBy(deadOwner()),
  "claim-unreachable": heldBy(unreachableOwner()),
  "state-damaged": (place) => editState(place, (text) => text.slice(0, 200)),
  "state-unfinished": async (place) => {
    const story = { owner: "me", seed: 0, rounds: 1, mode: "sweep", crashAt: "state.after-journal" } as const;
    await runStepper({ store: { url: place.store }, file: stateFile(place), ...story });
  },
  "state-version": (place) => writeFileSync(stateFile(place), sample("v1.0-template").text),
  "state-lock": (place) =>
    editState(place, (text) => {
      const doc = JSON.parse(text);
      doc.steps["2"].claim = STALE;
      return JSON.stringify(doc, null, 2);
    }),
  "state-progress": (place) =>
    editState(place, (text) => text.replace('"artifacts": []', '"artifacts": ["not-there.md"]')),
  "config-broken": (place) => brokenConfig(place, '{\n  "verify": 1\n}\n'),
  "config-unknown-key": (place) => brokenConfig(place, '{\n  "verfiy": "make test"\n}\n'),
  "stray-slot": (place) => {
    const repo = testRepository(place.workspace);
    repo.write("deep/.refloat-tokn-key.o", "the only copy\n");
  },
  "plan-open": async () => {
    const world = await makeWorld(60);
    onTestFinished(() => world.remove());
    const life = await runActor(
      world,
      { job: "act", draft: "tree" },
      { kind: "point", at: "act.after-plan" },
    );
    if (life.signal !== "SIGKILL") throw new Error(`not killed: ${life.errors}`);
    return { args: ["--store", join(world.base, "refloat.db")], cwd: world.repo.root };
  },
  leftover: async (place) => {
    const repository = { place } as Parameters<typeof startSupervised>[0];
    const { supervisor, agent } = await startSupervised(repository, {
      agent: "sleep 1000 & echo $! > child; sleep 1000",
    });
    onTestFinished(() => killGroup(agent));
    const child = join(place.workspace, "child");
    await until(() => /\d/.test(readText(child)), "the agent's child");
    await supervisor.kill();
    process.kill(agent, "SIGKILL");
    await until(() => !isAlive(agent), "the agent is gone");
  },
  "workspace-moved": async (place) => {
    const [from, to] = [temporaryFolder(), join(temporaryFolder(), "moved")];
    const repo = testRepository(from);
    repo.write("f.md", "One.\n");
    repo.commit();
    repo.write("f.md", "Two.\n");
    await place.json(["park", "--all", "--adopt", "--yes"], { cwd: from });
    await place.json(["capture"], { cwd: from });
    renameSync(from, to);
    return { cwd: to };
  },
  "stray-file": async (place) => {
    const fresh = makePlace();
    const env = { REFLOAT_CRASH_AT: "create.before-link", REFLOAT_HOME: place.home };
    const made = await fresh.refloat(["state", "init"], { env: { ...env, REFLOAT_HOME: fresh.home } });
    if (made.signal !== "SIGKILL") throw new Error(`not killed: ${made.stderr}`);
    return { env: { REFLOAT_HOME: fresh.home } };
  },
};

/** Committed, and the user's own; whoever is sent to them with an editor puts them right. */
function brokenConfig(place: Place, text: string): Looking {
  const repo = testRepository(place.workspace);
  repo.write("refloat.json", text);
  repo.commit("a config");
  const home = join(place.home, "config");
  mkdirSync(join(home, "refloat"), { recursive: true });
  writeFileSync(join(home, "refloat/config.json"), text);
  const editor = join(place.home, "editor");
  writeFileSync(editor, '#!/bin/sh\necho \'{"verify": "make test"}\' > "$1"\n', { mode: 0o755 });
  return { env: { ...ANN, XDG_CONFIG_HOME: home, GIT_EDITOR: editor } };
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (_notYet) {
    return "";
  }
}

/** The doctor's findings where the store is on a disk of so many bytes, mounted for this one program. */
export function smallDiskFindings(size: string): { check: string; command: string }[] {
  const disk = join(temporaryFolder(), "disk");
  const workspace = temporaryFolder();
  mkdirSync(disk);
  const script = `mount -t tmpfs -o mode=0700,size=${size} tmpfs "$REFLOAT_HOME" && cd "$1" &&
    "$0" "$2" state init > made && exec "$0" "$2" doctor --json`;
  const words = [...unshareArguments("--mount"), "--", "sh", "-c", script, process.execPath, workspace, BIN];
  const { stdout, stderr, status } = spawnSync("unshare", words, {
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: workspace, REFLOAT_HOME: disk },
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout).findings;
}
