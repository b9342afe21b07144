/**
 * That something may look different now, for whoever shows sessions and is not asked again: somebody wrote to the store, or an owner
 * died, which nobody writes down (L1). One watcher serves any number of pages. It reads nothing but the store's own counter and, of
 * sessions that somebody holds, whether he lives; what changed, each page looks up for itself.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { RefloatError } from "../../model/errors.ts";
import { WATCH_LIVENESS_MS, WATCH_STEP_MS } from "../../model/limits.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { livenessOfHolder } from "../../store/holder.ts";
import type { AppPlace } from "../place/app-place.ts";
import type { RefloatStore } from "../store/open-store.ts";

export interface WatchOrder {
  readonly stop: AbortSignal;
  readonly onChange: () => void;
}

/** Ends with the signal. A store that is not there yet, or cannot be read for now, is looked for again. */
export async function watchStore(at: AppPlace, { stop, onChange }: WatchOrder): Promise<void> {
  let known: Seen | null = null;
  while (!stop.aborted) {
    const seen = await lookAt(at, known);
    if (stop.aborted) return;
    if (known !== null && (seen.version !== known.version || seen.alive !== known.alive)) onChange();
    known = seen;
    await sleep(WATCH_STEP_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}

interface Seen {
  /** Null: there is no store. */
  readonly version: number | null;
  /** Of every session that is held: whether its owner lives. */
  readonly alive: string;
  /** Who holds them, as it was in that version of the store: while it is the same, only the kernel is asked. */
  readonly held: { readonly version: number; readonly rows: readonly SessionRow[] } | null;
  readonly lookedAtMs: number;
}

async function lookAt(at: AppPlace, known: Seen | null): Promise<Seen> {
  const nowMs = at.clock.nowMs();
  const store = await findOrNull(at);
  if (!store) return { version: null, alive: "", held: null, lookedAtMs: nowMs };
  const version = await store.raw.driver.version();
  const isDue = known === null || nowMs - known.lookedAtMs >= WATCH_LIVENESS_MS || nowMs < known.lookedAtMs;
  // That somebody wrote is news already: who lives is looked at no more often for it, however many sessions there are.
  if (!isDue) return { ...known, version };
  const held = known?.held?.version === version ? known.held : { version, rows: await heldRows(store) };
  return { version, alive: holdersOf(held.rows), held, lookedAtMs: nowMs };
}

async function findOrNull(at: AppPlace): Promise<RefloatStore | null> {
  try {
    return await at.findStore();
  } catch (thrown) {
    // Whoever asks for something in it is told why.
    if (thrown instanceof RefloatError) return null;
    throw thrown;
  }
}

async function heldRows({ raw }: RefloatStore): Promise<SessionRow[]> {
  const held: SessionRow[] = [];
  for await (const row of raw.everySession()) if (row.claim.owner) held.push(row);
  return held;
}

const holdersOf = (rows: readonly SessionRow[]): string =>
  rows.map((row) => `${row.id} ${livenessOfHolder(row).liveness?.kind ?? ""}`).join("\n");
