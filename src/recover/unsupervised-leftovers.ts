/**
 * What an agent that nobody supervised may have left running (S2): what its open calls were to run, and what was begun here meanwhile and has no
 * starter any more, which only its folder tells of. Named, never signalled.
 */
import type { IsSharedServer } from "../session/leftovers.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import type { Store } from "../store/store.ts";
import { commandText } from "../workspace/owning/named-paths.ts";
import { type ListedProcess, listAbandoned, listCommands } from "./list-leftovers.ts";

/** `root`: of the workspace. Nothing of a session that somebody supervised: its mark tells. */
export async function unsupervisedLeftovers(
  store: Store,
  row: SessionRow,
  {
    root,
    isSharedServer = () => false,
  }: { readonly root: string; readonly isSharedServer?: IsSharedServer | undefined },
): Promise<readonly ListedProcess[]> {
  if (row.facts.only_heard !== true) return [];
  const named = listCommands(root, await openCommands(store, row));
  const pids = new Set(named.map(({ pid }) => pid));
  const abandoned = await abandonedBy(store, row, { root, isSharedServer });
  return [...named, ...abandoned.filter(({ pid }) => !pids.has(pid))];
}

/** What its calls without a result were to run. */
async function openCommands(store: Store, { id }: SessionRow): Promise<readonly string[]> {
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

/** Clocks of transcripts and of the kernel differ by less; a tool begins right behind the call that asks for it. */
const BEGINS_WITHIN_MS = 60_000;
const CLOCK_SLACK_MS = 2000;

/** Between its first word and its last. */
async function abandonedBy(
  store: Store,
  row: SessionRow,
  { root, isSharedServer }: { readonly root: string; readonly isSharedServer: IsSharedServer },
): Promise<readonly ListedProcess[]> {
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
