/**
 * What the doctor compares of agents that are started plainly: when each ran last, by its newest transcript, and when its hooks told
 * something last, by the inbox and by what was taken in from it. Reads only, and bounded.
 */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
} from "node:fs";
import { join } from "node:path";
import { AGENTS } from "../../agents/registry.ts";
import type { AgentAdapter } from "../../agents/words/adapter.ts";
import { agentHome } from "../../agents/words/agent-files.ts";
import type { AgentHookFacts, HookFacts } from "../../doctor/facts.ts";
import { RefloatError } from "../../model/errors.ts";
import { isJsonObject } from "../../model/json.ts";
import { errnoOf } from "../../platform/io-error.ts";
import { builtFile } from "../../platform/own-files.ts";
import type { Store } from "../../store/store.ts";
import { readWhole } from "../agents/check-transcript.ts";
import type { AppPlace } from "../place/app-place.ts";

/** An agent that nobody used for so long is not used here. */
const WITHIN_MS = 14 * 24 * 60 * 60_000;
/** A longer transcript is not read for this. */
const MAX_READ_BYTES = 32 * 1024 * 1024;
/** The lines above an event's payload. */
const HEAD_BYTES = 4096;
/** Events that wait whose agent is looked at, the newest: enough to tell that hooks live. */
const MAX_EVENTS = 500;

export async function hookFacts(at: AppPlace, store: Store | null): Promise<HookFacts> {
  const home = await at.home();
  const inbox = inboxIn(home);
  const told = new Map(inbox.told);
  for (const [agent, ms] of store ? await toldIn(store) : [])
    told.set(agent, Math.max(ms, told.get(agent) ?? 0));
  const notes = notesIn(home);
  return {
    recorder: recorderIn(home),
    agents: AGENTS.map((adapter) =>
      factsOf(at, adapter, notes.get(adapter.name) ?? null, told.get(adapter.name) ?? null),
    ),
    inbox: {
      waiting: inbox.waiting,
      torn: inbox.torn,
      tornFolder: join(home, "inbox", "torn"),
      dropped: inbox.dropped,
    },
  };
}

function factsOf(
  at: AppPlace,
  adapter: AgentAdapter,
  setUpAtMs: number | null,
  toldAtMs: number | null,
): AgentHookFacts {
  const found = adapter.places.find(agentHome(at.env), at.place()).find(({ child }) => child === undefined);
  const isYoung = found !== undefined && at.clock.nowMs() - found.modifiedMs < WITHIN_MS;
  const read =
    found && isYoung && adapter.transcript.storage === "lines" && found.bytes <= MAX_READ_BYTES
      ? readOrNull(at, adapter, found.path)
      : null;
  return {
    ...{ agent: adapter.name, title: adapter.title, setUpAtMs, toldAtMs },
    // Those whose files were only ever read from a schema have no hooks of ours.
    canBeSetUp: adapter.fixtures === "run",
    ranAtMs: isYoung ? found.modifiedMs : null,
    version: read?.version ?? null,
    unknownTypes: read ? [...read.unknown.keys()] : [],
  };
}

/** One that is damaged or gone says nothing of its kinds. */
function readOrNull(
  at: AppPlace,
  agent: AgentAdapter,
  path: string,
): ReturnType<typeof readWhole>["checked"] | null {
  try {
    return readWhole(at, { path, agent }).checked;
  } catch (thrown) {
    if (thrown instanceof RefloatError || errnoOf(thrown) !== null) return null;
    throw thrown;
  }
}

/** Which agents `init` has set up, and when: it keeps a note of each file it changed. */
function notesIn(home: string): ReadonlyMap<string, number> {
  const folder = join(home, "install");
  const found = new Map<string, number>();
  for (const name of namesIn(folder).filter((one) => one.endsWith(".json"))) {
    const path = join(folder, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    const agent = stat?.isFile() ? agentOfNote(path) : null;
    if (agent !== null && stat) found.set(agent, Math.max(stat.mtimeMs, found.get(agent) ?? 0));
  }
  return found;
}

function agentOfNote(path: string): string | null {
  try {
    const note: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isJsonObject(note) && typeof note.agent === "string" && note.scope !== "shell" ? note.agent : null;
  } catch (thrown) {
    if (thrown instanceof SyntaxError || errnoOf(thrown) !== null) return null;
    throw thrown;
  }
}

interface InboxSeen {
  readonly waiting: number;
  readonly torn: number;
  readonly dropped: number;
  /** When the newest of each agent was written. */
  readonly told: ReadonlyMap<string, number>;
}

function inboxIn(home: string): InboxSeen {
  const folder = join(home, "inbox");
  const isEvent = (name: string): boolean => name.endsWith(".hook");
  const files = namesIn(folder)
    .filter(isEvent)
    .flatMap((name) => {
      const stat = lstatSync(join(folder, name), { throwIfNoEntry: false });
      return stat?.isFile() ? [{ path: join(folder, name), atMs: stat.mtimeMs }] : [];
    })
    .toSorted((a, b) => b.atMs - a.atMs);
  const told = new Map<string, number>();
  for (const { path, atMs } of files.slice(0, MAX_EVENTS)) {
    const agent = /^agent ([a-z0-9-]+)$/m.exec(headOf(path))?.[1];
    if (agent !== undefined) told.set(agent, Math.max(atMs, told.get(agent) ?? 0));
  }
  const dropped = lstatSync(join(folder, "dropped"), { throwIfNoEntry: false })?.size ?? 0;
  return { waiting: files.length, torn: namesIn(join(folder, "torn")).filter(isEvent).length, dropped, told };
}

function headOf(path: string): string {
  const fd = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(HEAD_BYTES);
    return buffer.subarray(0, readSync(fd, buffer)).toString("latin1").split("\nbody\n")[0] ?? "";
  } finally {
    closeSync(fd);
  }
}

/** What was taken in, as the sessions' rows tell: the last event of each (store/contract/session-facts.ts). */
async function toldIn(store: Store): Promise<readonly (readonly [string, number])[]> {
  return (await store.sessions()).flatMap(({ facts: { hooked } }) =>
    isJsonObject(hooked) && typeof hooked.agent === "string" && typeof hooked.at_ms === "number"
      ? [[hooked.agent, hooked.at_ms] as const]
      : [],
  );
}

function recorderIn(home: string): HookFacts["recorder"] {
  const path = join(home, "bin", "refloat-hook");
  if (!existsSync(path)) return { kind: "missing", path, why: "not there" };
  try {
    accessSync(path, constants.X_OK);
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    return { kind: "missing", path, why: "not to be run" };
  }
  const ours = builtFile("hooks/refloat-hook");
  const isOther = existsSync(ours) && !readFileSync(ours).equals(readFileSync(path));
  return { kind: isOther ? "other" : "there", path };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    return [];
  }
}
