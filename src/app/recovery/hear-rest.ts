/**
 * What an agent wrote of itself after its supervisor last looked, taken in before its death is closed (S1): a kill of both loses
 * nothing that the agent had written, nor what it had printed or its hooks had told of itself. Under the dead attempt's own number: whoever takes the session up meanwhile fences this off (K1).
 */

import { keepTranscripts } from "../../agents/escrow/keep-transcript.ts";
import { takeBeside } from "../../agents/journal/take-beside.ts";
import { hookedWork, takeHooked } from "../../agents/journal/take-hooked.ts";
import { takeIn } from "../../agents/journal/take-in.ts";
import { AGENTS, agentNamed, agentOfCommand } from "../../agents/registry.ts";
import { StreamEars } from "../../agents/stream/stream-ears.ts";
import { copyNamed } from "../../agents/transcript/copied-conversation.ts";
import { childrenOf, transcriptNamed } from "../../agents/transcript/find-transcript.ts";
import type { AgentAdapter, FoundTranscript } from "../../agents/words/adapter.ts";
import { agentHome } from "../../agents/words/agent-files.ts";
import { RefloatError } from "../../model/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Environment } from "../../platform/places.ts";
import { readTailFile } from "../../platform/tail-file.ts";
import type { RecoveryTurns } from "../../recover/recover-one.ts";
import { runFolder } from "../../session/run-folder.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { conversationsOf, workspaceIn } from "../../store/contract/session-facts.ts";
import type { Store } from "../../store/store.ts";
import { takeInbox } from "../inbox/take-inbox.ts";

export interface RestPlace {
  readonly env: Environment;
  readonly home: string;
  /** Told what was in the way; left out: nobody. */
  readonly onFailure?: (thrown: RefloatError) => void;
}

/** Agents' transcripts and hooks: one reader of them at a time. */
const HEARING = "hearing";

const OVERTAKEN: ReadonlySet<string> = new Set(["E_HELD", "E_FENCED"]);

export async function takeRest(
  store: Store,
  row: SessionRow,
  { env, home, onFailure }: RestPlace,
  inTurn: RecoveryTurns,
): Promise<void> {
  const { facts, claim } = row;
  const known = isJsonObject(facts.heard) ? facts.heard : {};
  // Heard over its protocol, word for word: its transcript would say all of it a second time.
  if (claim.owner === null || known.channel === "acp") return;
  try {
    await inTurn(HEARING, async () => {
      await hearItself(store, row, { env, home });
      await takeInbox(store, { home, env });
    });
    // Hooks may have told of it since it was read. Asked by all whose turns are over, it is one statement for all of them.
    const hooked = (await store.session(row.id))?.facts.hooked;
    await inTurn(HEARING, () => hearHooks(store, row, hooked));
  } catch (thrown) {
    // A transcript that cannot be read, or a session that was taken up meanwhile, is no reason to leave it unsettled.
    if (!(thrown instanceof RefloatError)) throw thrown;
    if (!OVERTAKEN.has(thrown.code)) onFailure?.(thrown);
  }
}

/** Its transcript, and what it printed. */
async function hearItself(store: Store, row: SessionRow, { env, home }: RestPlace): Promise<void> {
  const told = toldId(row, env);
  const stream = await printedBy(store, row, home);
  const nativeId = told ?? stream?.ears.nativeId ?? null;
  if (nativeId !== null) await hearTranscripts(store, row, nativeId, env);
  if (!stream) return;
  const source = { agent: stream.adapter.name, nativeId: nativeId ?? row.id };
  await takeBeside(store, { session: row.id, attempt: row.claim.attempt, source }, stream.ears);
}

/**
 * The id of what its agent had last, as far as it is known; of one that went on in a copy, that copy's: the id it was given, or by what it
 * says inside. Until there is one, it is what the copy was to be made of.
 */
function toldId({ facts }: SessionRow, env: Environment): string | null {
  const { copying, native_id: given, heard } = facts;
  const known = isJsonObject(heard) ? heard.native_id : null;
  const copy = isJsonObject(copying) ? (given ?? copyMade(facts, copying, env)) : null;
  const told = [copy, known, given].find((one) => typeof one === "string" && one !== "");
  return typeof told === "string" ? told : null;
}

function copyMade(facts: SessionRow["facts"], copying: JsonObject, env: Environment): string | null {
  const { of, at_ms } = copying;
  const { heard } = facts;
  const adapter = isJsonObject(heard) ? agentNamed(String(heard.agent)) : null;
  if (!adapter || typeof of !== "string" || typeof at_ms !== "number") return null;
  const folder = workspaceIn({ facts });
  const found = adapter.places.find(agentHome(env), folder);
  return copyNamed(adapter, found, { of, folder, sinceMs: at_ms })?.nativeId ?? null;
}

/** What its hooks told and nothing else has: the call that was open when both were killed. */
async function hearHooks(
  store: Store,
  { id: session, claim }: SessionRow,
  hooked: Json | undefined,
): Promise<void> {
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
    const copyOf = originalOf(row, adapter, nativeId, env);
    await takeIn(store, { ...order, copyOf, turns: "session", isOver: true });
    const children = childrenOf(adapter.places.find(agentHome(env), workspaceIn(row)), nativeId);
    await keepTranscripts(store, { ...order, children });
  }
}

/** The conversation of this session that this one is a copy of; left out: it is none. */
function originalOf(
  row: SessionRow,
  adapter: AgentAdapter,
  nativeId: string,
  env: Environment,
): FoundTranscript | undefined {
  const { copying } = row.facts;
  if (!isJsonObject(copying)) return undefined;
  for (const { native_id } of conversationsOf(row)) {
    const found = native_id === nativeId ? null : transcriptNamed(adapter, native_id, env, workspaceIn(row));
    if (found && [native_id, found.path].includes(String(copying.of)))
      return { ...found, nativeId: native_id };
  }
  return undefined;
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
