/**
 * What the next writer finds: the claim at once (K2), with the open things settled exactly once (C4, C8), the
 * dead one's late write refused (K1), every input in exactly one place (C1), views every provider accepts
 * (C6), and nothing left for a second recovery to do.
 */

import type { RefloatStore } from "../../src/app/store/open-store.ts";
import { checkAnthropic } from "../../src/conversation/export/check-anthropic.ts";
import type { Rejection } from "../../src/conversation/export/rejection.ts";
import type { Session } from "../../src/conversation/session.ts";
import { RefloatError } from "../../src/model/errors.ts";
import type { RecordId, SessionId } from "../../src/model/ids.ts";
import { type OpenRef, openingsOf, type StoredRecord } from "../../src/model/record.ts";
import { checkOpenAiChat } from "../support/providers/check-openai-chat.ts";
import { checkOpenAiResponses } from "../support/providers/check-openai-responses.ts";
import { addSurvivor, journalOf, type World } from "./check-records.ts";
import { type Called, callsOf } from "./ledger.ts";

export async function checkSurvivor(store: RefloatStore, world: World): Promise<string[]> {
  const id = world.session as SessionId;
  const dead = await store.raw.session(id);
  const session = await store.begin({ id: world.session, agent: "survivor", workspace: "/w", lift: "sweep" });
  addSurvivor(world, session.id, session.attempt);
  const found: string[] = [];
  const expected = (dead?.claim.attempt ?? 0) + 1;
  if (session.attempt !== expected) found.push(`attempt ${session.attempt} follows ${expected - 1}`);
  found.push(...checkRecovered(session, openBefore(await journalOf(store.raw, id), session.attempt)));
  if (dead) found.push(...(await checkGhost(store, id, dead.claim.attempt)));
  found.push(...(await checkSettled(store, session.id)));
  found.push(...(await checkInputs(session, world)));
  found.push(...checkExports(session, "history"));
  if (session.openTurn === null) found.push(...(await checkRequest(session)));
  else found.push(`the turn ${session.openTurn.id} of the dead is still open (C8)`);
  await session.release();
  return [...found, ...(await checkSecondRecovery(store, world))];
}

/** What was open when the claim was taken, from the records alone. */
function openBefore(records: readonly StoredRecord[], attempt: number): OpenRef[] {
  const open = new Map<string, OpenRef>();
  for (const { kind, body } of records) {
    if (kind === "claim.taken" && body.attempt === attempt) break;
    const { opens, closes } = openingsOf(kind, body);
    if (closes) open.delete(`${closes.what} ${closes.id}`);
    if (opens) open.set(`${opens.what} ${opens.id}`, opens);
  }
  return [...open.values()];
}

function checkRecovered({ recovered }: Session, open: readonly OpenRef[]): string[] {
  const of = (what: OpenRef["what"]) => open.filter((ref) => ref.what === what).map(({ id }) => id);
  const expected = { turns: of("turn"), calls: of("call"), messages: of("message") };
  const isIdle = expected.turns.length + expected.calls.length + expected.messages.length === 0;
  if (isIdle) return recovered === null ? [] : ["an idle session was called interrupted (L5)"];
  if (!recovered) return ["what was left open was not recovered"];
  const { turns, calls, messages } = recovered;
  const isEqual = JSON.stringify({ turns, calls, messages }) === JSON.stringify(expected);
  return isEqual ? [] : [`recovered says ${JSON.stringify(recovered)}, open was ${JSON.stringify(expected)}`];
}

/** Everything a dead owner could still send, arriving late. */
async function checkGhost(store: RefloatStore, id: SessionId, attempt: number): Promise<string[]> {
  const head = (await store.raw.session(id))?.head;
  const record = { id: `ghost-${attempt}` as RecordId, kind: "decided", atMs: 0, body: GHOST_BODY };
  const late: Record<string, () => Promise<unknown>> = {
    append: () => store.raw.append(id, { attempt }, [record]),
    release: () => store.raw.release(id, attempt, [record]),
    renew: () => store.raw.renew(id, attempt),
  };
  const found: string[] = [];
  for (const [name, write] of Object.entries(late)) {
    const refusal = await write().then(
      () => "accepted",
      (thrown: unknown) => (thrown instanceof RefloatError ? thrown.code : String(thrown)),
    );
    if (refusal !== "E_FENCED")
      found.push(`a late ${name} of the dead attempt ${attempt} was ${refusal} (K1)`);
  }
  if ((await store.raw.session(id))?.head !== head) found.push("a late write of the dead left a trace (K1)");
  return found;
}

const GHOST_BODY = { key: "ghost", value: "too late", reason: null, step: null };

/** Every call has one result, every message and turn one end; a synthetic result says that nobody saw the call end. */
async function checkSettled(store: RefloatStore, session: string): Promise<string[]> {
  const ends = new Map<string, number>();
  const count = (key: string): void => void ends.set(key, (ends.get(key) ?? 0) + 1);
  const records = await journalOf(store.raw, session);
  const found = await checkAttempts(store, session, records);
  for (const { kind, body } of records) {
    if (kind === "call.ended") count(`call ${body.call}`);
    if (kind === "message.ended") count(`message ${body.message}`);
    if (kind === "turn.ended") count(`turn ${body.turn}`);
    if (kind === "call.ended" && body.synthetic === true && body.status !== "unknown-outcome")
      found.push(`the synthetic result of ${body.call} claims ${body.status} (C4)`);
  }
  for (const { kind, body } of records) {
    const key =
      kind === "call.started"
        ? `call ${body.call}`
        : kind === "message.opened"
          ? `message ${body.message}`
          : kind === "turn.began"
            ? `turn ${body.turn}`
            : null;
    if (key && ends.get(key) !== 1) found.push(`${key} has ${ends.get(key) ?? 0} ends`);
  }
  return found;
}

/** Every taking of the claim is recorded, the numbers go up by one, and the last one is the session's (K4). */
async function checkAttempts(
  store: RefloatStore,
  session: string,
  records: readonly StoredRecord[],
): Promise<string[]> {
  const attempts = records
    .filter(({ kind }) => kind === "claim.taken")
    .map(({ body }) => Number(body.attempt));
  const wrong = attempts.filter((attempt, i) => attempt !== i + 1);
  const found = wrong.map((attempt) => `the attempt ${attempt} does not follow the one before it`);
  const current = (await store.raw.session(session as SessionId))?.claim.attempt;
  if (current !== attempts.length)
    found.push(`${attempts.length} attempts are recorded, the claim says ${current}`);
  return found;
}

/** C7: the next turn goes on from what is there. Before anything was said there is nothing to answer. */
async function checkRequest(session: Session): Promise<string[]> {
  const turn = await session.continueTurn();
  const found = session.view("model").items.length > 0 ? checkExports(session, "request") : [];
  await turn.end("cancelled", "the checker only looked");
  return found;
}

/** C1: the text is in the queue or in the conversation, never in neither and never in both. */
async function checkInputs(session: Session, world: World): Promise<string[]> {
  const calls = world.lives.flatMap((life) => callsOf(life));
  const queued = (await session.queue()).map(({ parts }) => JSON.stringify(parts));
  const said = session
    .view("people")
    .items.flatMap((item) =>
      item.kind === "message" && item.role === "user" ? [JSON.stringify(item.parts)] : [],
    );
  const taken = new Set(
    calls.filter(({ op, ack }) => ack && TAKES.has(op)).map(({ about }) => String(about.input)),
  );
  const found: string[] = [];
  for (const { op, about, ack } of calls) {
    if (op !== "enqueue") continue;
    const inQueue = queued.filter((text) => text.includes(`${about.token} `)).length;
    const inTalk = said.filter((text) => text.includes(`${about.token} `)).length;
    const isAcked = ack !== null || taken.has(String(about.input));
    if (inQueue + inTalk > 1 || (isAcked && inQueue + inTalk === 0))
      found.push(
        `the input ${about.input} is ${inQueue} times in the queue, ${inTalk} times in the conversation`,
      );
    if (taken.has(String(about.input)) && inTalk !== 1)
      found.push(`the input ${about.input} was taken and is not in the conversation`);
  }
  return found;
}

const TAKES: ReadonlySet<Called["op"]> = new Set(["turn.queued", "turn.take", "turn.cancelFor"]);

export function checkExports(session: Session, as: "history" | "request"): string[] {
  const options = { forRequest: as === "request" };
  const rejections: Readonly<Record<string, readonly Rejection[]>> = {
    anthropic: checkAnthropic(session.export("anthropic"), options),
    "openai-chat": checkOpenAiChat(session.export("openai-chat"), options),
    "openai-responses": checkOpenAiResponses(session.export("openai-responses"), options),
  };
  return Object.entries(rejections).flatMap(([format, list]) =>
    list.map(({ rule, where, why }) => `${format} as ${as}: ${rule} at ${where}: ${why} (C6)`),
  );
}

/** Other sessions the dead writer held may be settled by it; this one is settled already. */
async function checkSecondRecovery(store: RefloatStore, world: World): Promise<string[]> {
  const id = world.session as SessionId;
  const head = (await store.raw.session(id))?.head;
  const found: string[] = [];
  for (const { session } of await store.recover()) {
    if (session === id) found.push("a second recovery found something to settle");
    const row = await store.raw.session(session as SessionId);
    addSurvivor(world, session, row?.claim.attempt ?? 0);
  }
  const third = await store.recover();
  if (third.length > 0) found.push("recovery of everything did not settle everything");
  if ((await store.raw.session(id))?.head !== head) found.push("a second recovery changed the journal");
  return found;
}
