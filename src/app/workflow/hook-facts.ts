/**
 * What the doctor compares of agents that are started plainly: when each ran last, by its newest transcript, and when its hooks told
 * something last, by the inbox and by what was taken in from it. Reads only, and bounded.
 */
import { accessSync, closeSync, constants, existsSync, openSync, readFileSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import { installedVersion, untriedVersion } from "../../agents/agent-version.ts";
import { keptDropsOf } from "../../agents/inbox/drain-inbox.ts";
import { agentOfHead } from "../../agents/inbox/format.ts";
import { type InboxListing, listInbox, sizeOf, tornOf } from "../../agents/inbox/inbox-folder.ts";
import { recorderPath } from "../../agents/install/commands.ts";
import { openLedger } from "../../agents/install/ledger.ts";
import { AGENTS } from "../../agents/registry.ts";
import type { AgentAdapter } from "../../agents/words/adapter.ts";
import { agentHome } from "../../agents/words/agent-files.ts";
import type { AgentHookFacts, HookFacts } from "../../doctor/facts.ts";
import { RefloatError } from "../../model/errors.ts";
import { isJsonObject } from "../../model/json.ts";
import { errnoOf } from "../../platform/io-error.ts";
import { builtFile } from "../../platform/own-files.ts";
import { findProgram } from "../../platform/places.ts";
import type { Store } from "../../store/store.ts";
import { readWhole } from "../agents/check-transcript.ts";
import type { AppPlace } from "../place/app-place.ts";

/** An agent that nobody used for so long is not used here. */
const WITHIN_MS = 14 * 24 * 60 * 60_000;
/** A longer transcript is not read for this. */
const MAX_READ_BYTES = 32 * 1024 * 1024;
/** The lines above an event's payload, of folders with names of sane length. */
const HEAD_BYTES = 16 * 1024;
/** Events that wait whose agent is looked at, the newest: enough to tell that hooks live. */
const MAX_EVENTS = 500;

export async function hookFacts(at: AppPlace, store: Store | null): Promise<HookFacts> {
  const home = await at.home();
  const { waiting, torn, dropped } = listInbox(home);
  const told = new Map(toldBy(waiting));
  for (const [agent, ms] of store ? await toldIn(store) : [])
    told.set(agent, Math.max(ms, told.get(agent) ?? 0));
  const setUp = setUpIn(home);
  return {
    recorder: recorderIn(home),
    hasPerl: findProgram("perl", at.place(), at.env).kind === "found",
    agents: AGENTS.map((adapter) =>
      factsOf(
        at,
        adapter,
        adapter.hooks && (setUp.get(adapter.name) ?? null),
        told.get(adapter.name) ?? null,
      ),
    ),
    inbox: {
      ...{ waiting: waiting.length, torn: torn.length, tornFolder: tornOf(home), dropped },
      droppedBefore: { count: sizeOf(keptDropsOf(home)), path: keptDropsOf(home) },
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
      ? checkedOrNull(at, adapter, found.path)
      : null;
  const isUsed = isYoung || setUpAtMs !== null;
  const installed = isUsed ? installedVersion(adapter, { place: at.place(), env: at.env }) : null;
  return {
    ...{ agent: adapter.name, title: adapter.title, setUpAtMs, toldAtMs },
    // Where no hook of it fires, setting it up registers a server, and no record ever comes.
    canBeSetUp: adapter.install !== null && adapter.hooks !== null,
    ranAtMs: isYoung ? found.modifiedMs : null,
    version: read?.version ?? null,
    unknownTypes: read ? [...read.unknown.keys()] : [],
    untried: untriedVersion(adapter, installed ?? read?.version ?? null),
  };
}

/** One that is damaged or gone says nothing of its kinds. */
function checkedOrNull(
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
function setUpIn(home: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { note, atMs } of openLedger(home).written())
    if (note.scope !== "shell") found.set(note.agent, Math.max(atMs, found.get(note.agent) ?? 0));
  return found;
}

/** When the newest event of each agent was written that waits. */
function toldBy(waiting: InboxListing["waiting"]): ReadonlyMap<string, number> {
  const newest = waiting.toSorted((a, b) => b.modifiedMs - a.modifiedMs).slice(0, MAX_EVENTS);
  const told = new Map<string, number>();
  for (const { path, modifiedMs } of newest) {
    const agent = agentOfHead(headOf(path));
    if (agent !== null) told.set(agent, Math.max(modifiedMs, told.get(agent) ?? 0));
  }
  return told;
}

/** Empty where it was taken in meanwhile, or cannot be read: that costs this file alone. */
function headOf(path: string): Uint8Array {
  try {
    return headRead(path);
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    return new Uint8Array();
  }
}

function headRead(path: string): Uint8Array {
  const fd = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(HEAD_BYTES);
    return buffer.subarray(0, readSync(fd, buffer));
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
  const path = recorderPath(home);
  if (!existsSync(path)) return { kind: "missing", path, why: "not there" };
  try {
    accessSync(path, constants.X_OK);
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    return { kind: "missing", path, why: "not to be run" };
  }
  const isOther = ["refloat-hook", "refloat-hold"].some((name) => {
    const [ours, theirs] = [builtFile(`hooks/${name}`), join(dirname(path), name)];
    return existsSync(ours) && !(existsSync(theirs) && readFileSync(ours).equals(readFileSync(theirs)));
  });
  return { kind: isOther ? "other" : "there", path };
}
