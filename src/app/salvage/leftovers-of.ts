/** What a dead session left running, as everybody who judges its work must know it (S2): listed, never signalled. */

import { isSharedServer } from "../../agents/shared-servers.ts";
import {
  type ListedProcess,
  listAbandoned,
  listCommands,
  listLeftovers,
  listUnreadable,
  liveOwnersIn,
} from "../../recover/list-leftovers.ts";
import { surveySession } from "../../recover/survey-session.ts";
import type { FoundLeftover } from "../../salvage/judging/salvage.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { redactCommand } from "../../text/redact-part.ts";
import { commandText } from "../../workspace/owning/named-paths.ts";
import type { RefloatStore } from "../store/open-store.ts";

/** `root`: of the workspace; `home`: where run folders lie. */
export async function leftoversOf(
  { raw }: RefloatStore,
  row: SessionRow,
  root: string,
  home: string,
): Promise<FoundLeftover[]> {
  const { life, story } = await surveySession(raw, row);
  if (life.isHeld) return [];
  if (story.mark === null) return Promise.all((await unsupervised(raw, row, root)).map(shown));
  const liveOwners = await liveOwnersIn(raw, row.id);
  const found = listLeftovers({ session: row.id, story, home, liveOwners, isSharedServer });
  // Nobody can tell whose these are; they may be writing here all the same.
  const untold = listUnreadable(root) ?? [];
  return Promise.all([...(found ?? []), ...untold].map(shown));
}

/** Of an agent that nobody supervised: what its calls without a result were to run. */
async function openCommands(store: Store, { id, facts }: SessionRow): Promise<readonly string[]> {
  if (facts.only_heard !== true) return [];
  const kinds = ["call.started", "call.ended"] as const;
  const newest = await store.records({ session: id, kinds, order: "backward", limit: LAST_CALLS });
  const ended = new Set(
    newest.flatMap(({ kind, body }) => (kind === "call.ended" && body.synthetic !== true ? [body.call] : [])),
  );
  return newest.flatMap(({ kind, body }) =>
    kind === "call.started" && !ended.has(body.call) ? (commandText(body.input) ?? []) : [],
  );
}

/** Calls at the end of a session that may still be running. */
const LAST_CALLS = 200;

/** What its open calls were to run; and what was begun here meanwhile and has no starter any more, which only its folder tells of. */
async function unsupervised(store: Store, row: SessionRow, root: string): Promise<readonly ListedProcess[]> {
  const named = listCommands(root, await openCommands(store, row));
  const pids = new Set(named.map(({ pid }) => pid));
  return [...named, ...(await abandonedBy(store, row, root)).filter(({ pid }) => !pids.has(pid))];
}

/** Clocks of transcripts and of the kernel differ by less; a tool begins right behind the call that asks for it. */
const BEGINS_WITHIN_MS = 60_000;
const CLOCK_SLACK_MS = 2000;

/** Of an agent that nobody supervised: between its first word and its last. */
async function abandonedBy(store: Store, row: SessionRow, root: string): Promise<readonly ListedProcess[]> {
  if (row.facts.only_heard !== true) return [];
  const wordAt = async (order: "forward" | "backward"): Promise<number | null> => {
    const said = { session: row.id, kinds: WORDS, order, limit: 1 } as const;
    return (await store.records(said))[0]?.atMs ?? null;
  };
  const [first, last] = [await wordAt("forward"), await wordAt("backward")];
  if (first === null || last === null) return [];
  const while_ = { fromMs: first - CLOCK_SLACK_MS, toMs: last + BEGINS_WITHIN_MS };
  return listAbandoned(root, { ...while_, isSharedServer }) ?? [];
}

const WORDS = ["message.added", "call.started", "call.ended"] as const;

async function shown(listed: ListedProcess): Promise<FoundLeftover> {
  const { pid, command, started_at, kept } = listed;
  const redacted = (await redactCommand(command.split(" "))).join(" ");
  return { pid, command: redacted, startedAt: started_at, kept, remedy: remedyFor(listed) };
}

/** What refloat leaves alone the user may end himself; what is another session's is not his to end here. */
function remedyFor({ pid, evidence, kept, isAnothers }: ListedProcess): string | null {
  if (kept === null || isAnothers) return null;
  return evidence === "unreadable" ? `ps -fp ${pid}` : `kill ${pid}`;
}
