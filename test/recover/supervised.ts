/**
 * A supervisor in a process of its own, with a real agent under it: the records and the run folder as `run` leaves
 * them, without its relays and drains, so that either of the two can be killed at a known moment.
 */
import type { RefloatStore } from "../../src/app/store/open-store.ts";
import type { RecoverOptions, RecoveryOutcome } from "../../src/recover/recover-one.ts";
import { recoverWorkspace } from "../../src/recover/recover-sessions.ts";
import { openWorkspace } from "../../src/workspace/opening/workspace.ts";
import { isAlive } from "../run/run-scene.ts";
import { type Child, startChild } from "../support/child.ts";
import { makePlace, type Place } from "../support/cli.ts";
import { DOOR_ENV, type TestRepository, testRepository } from "../support/git-repository.ts";

export interface Wreck {
  readonly place: Place;
  readonly repository: TestRepository;
}

export function wreckPlace(): Wreck {
  const place = makePlace();
  const repository = testRepository(place.workspace);
  repository.write("a.txt", "one\n");
  repository.commit();
  return { place, repository };
}

export interface SupervisedOptions {
  readonly id?: string;
  readonly name?: string;
  /** Shell text the agent runs; it gets its mark by the environment. */
  readonly agent?: string;
  /** Module text run by the supervisor once the agent lives: sees store, session, turn, attempt, newRecord, mark, agent. */
  readonly script?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export interface Supervised {
  readonly supervisor: Child;
  readonly agent: number;
  readonly mark: string;
  readonly id: string;
}

/** Resolves when everything about it is on disk. */
export async function startSupervised(
  { place }: Wreck,
  options: SupervisedOptions = {},
): Promise<Supervised> {
  const supervisor = startChild(
    `
    import { spawn } from "node:child_process";
    import { mkdirSync, writeFileSync } from "node:fs";
    import { join } from "node:path";
    import { openStore } from "./app/store/open-store.js";
    import { newRecord } from "./session/new-record.js";
    import { markText } from "./session/leftovers.js";
    import { runFolder, writeSeenProcesses } from "./session/run-folder.js";
    import { processStart, pidNamespace } from "./platform/identity.js";
    import { bootId, hostId } from "./platform/identity.js";
    const o = ${JSON.stringify({ ...options, home: place.home, store: place.store, workspace: place.workspace })};
    const store = await openStore(o.store, { thread: false });
    const session = await store.begin({ id: o.id, name: o.name, agent: "generic", workspace: o.workspace, goal: "Work" });
    const { attempt } = session;
    const write = (...records) => store.raw.append(session.id, { attempt }, records);
    const turn = await session.turn("go");
    const mark = markText({ session: session.id, attempt, random: "r" + attempt });
    await write(newRecord(store.raw.clock, "agent.marked", { attempt, mark, command: ["sh"] }));
    const agent = spawn("/bin/sh", ["-c", o.agent ?? "sleep 1000"], {
      cwd: o.workspace, detached: true, stdio: "ignore", env: { PATH: process.env.PATH, REFLOAT_SESSION: mark },
    });
    const identity = { host: hostId(), boot: bootId(), pid_namespace: pidNamespace(), pid: agent.pid, started: processStart(agent.pid) };
    await write(newRecord(store.raw.clock, "agent.started", { attempt, ...identity, command: ["sh"], mark, supervised: true, pty: false }));
    const folder = runFolder(o.home, session.id, attempt);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "tail.a"), "refloat tail 1 1\\nlast words of attempt " + attempt + "\\nhalf a li");
    writeSeenProcesses(folder, bootId(), [{ pid: agent.pid, started: processStart(agent.pid) }]);
    ${options.script ?? ""}
    console.log(JSON.stringify({ agent: agent.pid, mark, id: session.id }));
    setInterval(() => undefined, 1000);
    `,
    { ...options.env, REFLOAT_HOME: place.home },
  );
  const said = (await supervisor.said()) as { agent: number; mark: string; id: string };
  return { supervisor, ...said };
}

/** SIGKILL to a group the test itself began, and nothing else. */
export function killGroup(pid: number): void {
  if (pid <= 1) throw new Error(`not a process of ours: ${pid}`);
  try {
    process.kill(-pid, "SIGKILL");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "ESRCH") throw thrown;
  }
}

export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let i = 0; i < 600; i++) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`never came true: ${what}`);
}

/** As the next start of a command does it. */
export const recover = (
  { place }: Wreck,
  store: RefloatStore,
  more: Partial<RecoverOptions> = {},
): Promise<RecoveryOutcome[]> =>
  recoverWorkspace(store.raw, openWorkspace(place.workspace, { env: DOOR_ENV }), {
    env: DOOR_ENV,
    home: place.home,
    ...more,
  });

export async function killBoth({ supervisor, agent }: Supervised): Promise<void> {
  killGroup(agent);
  await supervisor.kill();
  await until(() => !isAlive(agent), "the agent is gone");
}
