/**
 * Beginning a session: take its claim, settle what a dead owner left open, load what the views need. Claim
 * and settlement are one transaction, so a second kill in the middle leaves either the old state or the new.
 */
import { parseId, type SessionId } from "../model/ids.ts";
import { DEFAULT_WINDOW_MESSAGES } from "../model/limits.ts";
import type { Liveness, Owner } from "../model/owner.ts";
import type { NewRecord } from "../model/record.ts";
import { selfOwner } from "../platform/identity.ts";
import { randomId } from "../platform/random.ts";
import { giveBack, keepAlive, type SeenSession, takeClaim } from "../session/claims.ts";
import { newRecord } from "../session/new-record.ts";
import type { OpenRow } from "../store/driver.ts";
import type { Store } from "../store/store.ts";
import { findDirtyEnd } from "./dirty-end.ts";
import { Session, type TakeCapture } from "./session.ts";
import type { OpenCaptures } from "./session-captures.ts";
import { SessionJournal } from "./session-journal.ts";
import { type OpenThing, type Recovered, settle } from "./settle.ts";
import { loadWindow } from "./window.ts";

export interface BeginOptions {
  /** Goes on with this session if it exists, else begins one with this id. Left out: a new one. */
  readonly id?: string;
  readonly agent: string;
  readonly workspace: string;
  readonly goal?: string;
  readonly name?: string;
  /** How many of the last messages the views hold; the default is ten thousand. */
  readonly window?: number;
  /** Between hosts: how old a heartbeat may be before the claim is presumed lost. */
  readonly thresholdMs?: number;
  /** Called when another process took the session over; every write is refused from then on. */
  readonly onLost?: (error: Error) => void;
  readonly owner?: Owner;
  readonly liveness?: (owner: Owner) => Liveness;
  /** How `session.capture` takes one; `openStore` gives it. */
  readonly takeCapture?: TakeCapture;
  /** `auto` (default): the session captures its workspace by itself, if that is a git work tree on this machine. */
  readonly captures?: "auto" | "off";
  /** Told of every capture that could not be taken by itself; the journal says so, too. */
  readonly onCaptureFailed?: (error: Error) => void;
  /** Who takes the session's own captures; `openStore` gives it. */
  readonly openCaptures?: OpenCaptures;
}

/** Claims the session: attempt n. Throws Held { by, since } while somebody else has it. */
export async function beginSession(store: Store, options: BeginOptions): Promise<Session> {
  const session = parseId<SessionId>("session", options.id ?? randomId());
  const owner = options.owner ?? selfOwner(options.agent);
  let recovered: Recovered | null = null;
  const taken = await takeClaim(store, {
    session,
    owner,
    ...(options.thresholdMs === undefined ? {} : { thresholdMs: options.thresholdMs }),
    ...(options.liveness ? { liveness: options.liveness } : {}),
    records: async (seen) => {
      if (!seen.row) return [beganRecord(store, options)];
      const things = await openThings(store, session, seen);
      const end = await findDirtyEnd(store, seen.row, things, seen.decision.cause);
      const settled = settle(store.clock, things, end);
      recovered = settled.recovered;
      return settled.records;
    },
  });
  const { fold, earlier } = await loadWindow(
    store,
    session,
    taken.head,
    options.window ?? DEFAULT_WINDOW_MESSAGES,
  ).catch(async (thrown: unknown) => {
    // Nobody has the handle of a beginning that failed; why it could not begin is the news.
    await giveBack(store, { session, attempt: taken.attempt, owner });
    throw thrown;
  });
  const heartbeat = keepAlive(store, session, taken.attempt, options.onLost ?? (() => undefined));
  const openCaptures = options.captures === "off" ? null : (options.openCaptures ?? null);
  const journal = new SessionJournal(store, session, taken.attempt, fold, openCaptures);
  await journal.captures.begun();
  return new Session(journal, {
    recovered,
    earlier,
    heartbeat,
    takeCapture: options.takeCapture ?? null,
  });
}

function beganRecord(store: Store, options: BeginOptions): NewRecord {
  const { agent, workspace, goal, name } = options;
  return newRecord(store.clock, "session.began", {
    agent,
    workspace,
    goal: goal ?? null,
    name: name ?? null,
  });
}

/** What recovery settles; the queue, operations and what waits to be delivered are left to whoever goes on. */
export const SETTLED: readonly OpenRow["what"][] = ["turn", "call", "message"];

/** Read by the row that opened each, so that even a call from before the window is settled. */
export async function openThings(
  store: Store,
  session: SessionId,
  seen: Pick<SeenSession, "open">,
): Promise<OpenThing[]> {
  const things: OpenThing[] = [];
  for (const row of seen.open) {
    if (!SETTLED.includes(row.what)) continue; // a queue of thousands is nothing to settle
    const [opened] = await store.records({ session, fromSeq: row.seq, toSeq: row.seq });
    if (opened) things.push({ row, opened });
  }
  return things;
}
