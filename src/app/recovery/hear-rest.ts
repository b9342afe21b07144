/**
 * What an agent wrote of itself after its supervisor last looked, taken in before its death is closed (S1): a kill of both loses
 * nothing that the agent had written, nor what it had printed or its hooks had told of itself. Under the dead attempt's own number: whoever takes the session up meanwhile fences this off (K1).
 */

import { keepTranscripts } from "../../agents/escrow/keep-transcript.ts";
import { takeBeside } from "../../agents/journal/take-beside.ts";
import { hookedWork, takeHooked } from "../../agents/journal/take-hooked.ts";
import { takeIn } from "../../agents/journal/take-in.ts";
import { AGENTS, agentOfCommand } from "../../agents/registry.ts";
import { StreamEars } from "../../agents/stream/stream-ears.ts";
import { childrenOf, transcriptNamed } from "../../agents/transcript/find-transcript.ts";
import type { AgentAdapter } from "../../agents/words/adapter.ts";
import { agentHome } from "../../agents/words/agent-files.ts";
import { RefloatError } from "../../model/errors.ts";
import { isJsonObject } from "../../model/json.ts";
import type { Environment } from "../../platform/places.ts";
import { readTailFile } from "../../platform/tail-file.ts";
import { runFolder } from "../../session/run-folder.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { workspaceIn } from "../../store/contract/session-facts.ts";
import type { Store } from "../../store/store.ts";
import { type HookedInbox, takeInbox } from "../inbox/take-inbox.ts";

export interface RestPlace {
  readonly env: Environment;
  readonly home: string;
  /** Told what was in the way; left out: nobody. */
  readonly onFailure?: (thrown: RefloatError) => void;
}

const OVERTAKEN: ReadonlySet<string> = new Set(["E_HELD", "E_FENCED"]);

export async function takeRest(
  store: Store,
  row: SessionRow,
  { env, home, onFailure }: RestPlace,
): Promise<void> {
  const { facts, claim } = row;
  const known = isJsonObject(facts.heard) ? facts.heard : {};
  const told = [known.native_id, facts.native_id].find((one) => typeof one === "string" && one !== "");
  // Heard over its protocol, word for word: its transcript would say all of it a second time.
  if (claim.owner === null || known.channel === "acp") return;
  try {
    const stream = await printedBy(store, row, home);
    const nativeId = typeof told === "string" ? told : (stream?.ears.nativeId ?? null);
    if (nativeId !== null) await hearTranscripts(store, row, nativeId, env);
    if (stream) {
      const source = { agent: stream.adapter.name, nativeId: nativeId ?? row.id };
      await takeBeside(store, { session: row.id, attempt: claim.attempt, source }, stream.ears);
    }
    await hearHooks(store, row, { home, env });
  } catch (thrown) {
    // A transcript that cannot be read, or a session that was taken up meanwhile, is no reason to leave it unsettled.
    if (!(thrown instanceof RefloatError)) throw thrown;
    if (!OVERTAKEN.has(thrown.code)) onFailure?.(thrown);
  }
}

/** What its hooks told and nothing else has: the call that was open when both were killed. */
async function hearHooks(
  store: Store,
  { id: session, claim }: SessionRow,
  place: HookedInbox,
): Promise<void> {
  await takeInbox(store, place);
  const hooked = (await store.session(session))?.facts.hooked;
  const { agent, native_id: nativeId } = isJsonObject(hooked) ? hooked : {};
  if (typeof agent !== "string" || typeof nativeId !== "string") return;
  const source = { agent, nativeId };
  const work = await hookedWork(store, session, source);
  const order = { session, attempt: claim.attempt, source, turns: "session" as const };
  if (work.last !== null) await takeHooked(store, order, work);
}

async function hearTranscripts(
  store: Store,
  row: SessionRow,
  nativeId: string,
  env: Environment,
): Promise<void> {
  for (const adapter of AGENTS) {
    const found = transcriptNamed(adapter, nativeId, env, workspaceIn(row));
    if (!found) continue;
    const order = { session: row.id, attempt: row.claim.attempt, adapter, path: found.path, nativeId };
    await takeIn(store, { ...order, turns: "session", isOver: true });
    const children = childrenOf(adapter.places.find(agentHome(env), workspaceIn(row)), nativeId);
    await keepTranscripts(store, { ...order, children });
  }
}

/** The end of what it printed, as its supervisor kept it, where that is a stream of its own; null: it is for people, or not there. */
async function printedBy(
  store: Store,
  { id, claim }: SessionRow,
  home: string,
): Promise<{ readonly adapter: AgentAdapter; readonly ears: StreamEars } | null> {
  const kept = readTailFile(runFolder(home, id, claim.attempt));
  if (kept === null) return null;
  const [marked] = await store.records({ session: id, kinds: ["agent.marked"], order: "backward", limit: 1 });
  const command = Array.isArray(marked?.body.command) ? marked.body.command.map(String) : [];
  const adapter = agentOfCommand(command);
  const reader = adapter?.launch?.stream(command) ?? null;
  if (!adapter || !reader) return null;
  const ears = new StreamEars(reader);
  ears.take(kept);
  return { adapter, ears };
}
