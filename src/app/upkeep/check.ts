/**
 * Looking after the store: whether it is whole, a new one of what is whole in a damaged one, and what no record names any more. That
 * a loss is history now is the user's word: the door of the store itself refuses it to a process under a session's mark (T2).
 */
import {
  type DroppedTranscripts,
  dropTranscripts,
  overRetention,
  type Retention,
} from "../../agents/escrow/drop-transcripts.ts";
import { type ErrorData, RefloatError } from "../../model/errors.ts";
import { TRANSCRIPT_KEPT_BYTES, TRANSCRIPT_KEPT_DAYS, UNNAMED_CONTENT_GRACE_MS } from "../../model/limits.ts";
import { isPostgres, storePath } from "../../platform/store-address.ts";
import { type CheckResult, checkStore } from "../../store/check.ts";
import { type SalvageResult, salvageStore } from "../../store/damage/salvage-store.ts";
import { finishErasures } from "../../store/finish-erasures.ts";
import { storeKeys } from "../../store/store-keys.ts";
import { userConfig } from "../../workspace/opening/config.ts";
import { acceptLosses, type LostRange } from "../../workspace/sessions/accepted-losses.ts";
import { judgedSession } from "../../workspace/trust/judged-session.ts";
import type { AppPlace } from "../place/app-place.ts";
import { noStore, type OpenedPlace } from "../place/open-place.ts";
import { assertMayAcceptLoss, type RefloatStore } from "../store/open-store.ts";

export interface StoreCheckOrder {
  /** Go on without what is lost, and write that down. */
  readonly acceptsLoss: boolean;
  readonly onProgress: NonNullable<Parameters<typeof checkStore>[1]>;
}

export interface StoreCheckOutcome extends CheckResult {
  /** What had to be gone on without for the store to be opened; null: nothing. */
  readonly loss: ErrorData | null;
  /** What was accepted as lost by this order. */
  readonly accepted: readonly LostRange[];
}

export async function checkWhole(
  at: AppPlace,
  { acceptsLoss, onProgress }: StoreCheckOrder,
): Promise<StoreCheckOutcome> {
  if (acceptsLoss) await assertMayAcceptLoss(await at.storeAddress(), at.env);
  const { store, loss } = await opened(at, acceptsLoss);
  const result = await checkStore(store.raw, onProgress);
  return { ...result, loss, accepted: acceptsLoss ? await acceptLosses(store.raw) : [] };
}

/** What was lost is found by opening without it first, so that the receipt can say it (T1). */
async function opened(
  at: AppPlace,
  acceptsLoss: boolean,
): Promise<{ readonly store: RefloatStore; readonly loss: ErrorData | null }> {
  try {
    return { store: await at.openStore(), loss: null };
  } catch (thrown) {
    const isLoss = thrown instanceof RefloatError && thrown.code === "E_STORE_TAIL_LOST";
    if (!isLoss || !acceptsLoss) throw thrown;
    return { store: await at.openStore({ acceptLoss: true }), loss: thrown.data };
  }
}

/** `to`: an absolute path; null: it takes the old one's place. The damaged one is not opened for it, which may be impossible. */
export async function salvageDamaged(
  at: Pick<OpenedPlace, "storeAddress" | "hasStore" | "clock" | "env">,
  to: string | null,
): Promise<SalvageResult> {
  const address = await at.storeAddress();
  if (isPostgres(address)) {
    throw new RefloatError("E_UNSUPPORTED", {
      what: "--salvage",
      why: "a Postgres server keeps its own files",
      instead: "Restore the database from its backup.",
    });
  }
  if (!(await at.hasStore())) throw noStore(address);
  const keys = storeKeys(undefined, at.env);
  return salvageStore(storePath(address), { clock: at.clock, keys, ...(to === null ? {} : { to }) });
}

export interface UnnamedDropped {
  /** Kept transcripts that were older, or more, than is kept. */
  readonly transcripts: number;
  readonly contents: number;
  readonly bytes: number;
  /** What the store takes on disk. */
  readonly storeBytes: { readonly before: number; readonly after: number };
}

/**
 * Contents nothing names go, records stay (D2). What a writer may still be about to name stays too. Transcripts go when their time is over,
 * by the user's own config: a repository's says nothing of what is kept, and no session's process drops what speaks of it (T2).
 */
export async function dropUnnamed(at: AppPlace): Promise<UnnamedDropped> {
  const { raw } = await at.openStore();
  const { driver } = raw;
  const before = await driver.info();
  await finishErasures(raw);
  const isJudged = (await judgedSession(at.env, raw)) !== null;
  const old = isJudged ? NONE_DROPPED : await dropTranscripts(raw, retentionOf(at.env));
  const { contents, bytes } = await driver.gc(at.clock.nowMs() - UNNAMED_CONTENT_GRACE_MS);
  const after = await driver.info();
  return {
    transcripts: old.transcripts,
    contents: old.contents + contents,
    bytes: old.bytes + bytes,
    storeBytes: { before: before.bytes, after: after.bytes },
  };
}

/** What `dropUnnamed` would drop, and drops not. Transcripts are counted as records that would lose theirs; what they share with others is not told apart. */
export async function wouldDrop(at: AppPlace): Promise<Omit<UnnamedDropped, "storeBytes">> {
  const { raw } = await at.openStore();
  const { contents, bytes } = await raw.driver.unnamed(at.clock.nowMs() - UNNAMED_CONTENT_GRACE_MS);
  const isJudged = (await judgedSession(at.env, raw)) !== null;
  const transcripts = isJudged ? 0 : (await overRetention(raw, retentionOf(at.env))).length;
  return { transcripts, contents, bytes };
}

const NONE_DROPPED: DroppedTranscripts = { transcripts: 0, contents: 0, bytes: 0 };

function retentionOf(env: AppPlace["env"]): Retention {
  const { transcript_days, transcript_bytes } = userConfig(env).limits ?? {};
  return { days: transcript_days ?? TRANSCRIPT_KEPT_DAYS, bytes: transcript_bytes ?? TRANSCRIPT_KEPT_BYTES };
}
