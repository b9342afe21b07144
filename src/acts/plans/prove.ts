/**
 * The proof that what captures, plans and kept transcripts name is there, what was parked and what a plan kept among it: every content is
 * read and hashed again (T1). One that is gone is said to be forgotten only where a record of its journal says that
 * something was. Then the last capture's changed
 * paths: each is in the store, or still in the tree with the very bytes.
 */
import { createHash } from "node:crypto";
import type { Capture } from "../../model/capture.ts";
import { RefloatError } from "../../model/errors.ts";
import type { ContentHash, SessionId } from "../../model/ids.ts";
import { CAPTURE_PAGE_ROWS } from "../../model/limits.ts";
import { type PathName, pathFromJson } from "../../model/path-name.ts";
import type { PlanBody } from "../../model/plan.ts";
import { bodyAs, type StoredRecord } from "../../model/record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { newestCaptures } from "../../workspace/captures/captures.ts";
import { hashingSink } from "../../workspace/files/contents-sink.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { acceptedLosses, type IsAccepted } from "../../workspace/sessions/accepted-losses.ts";
import { readTree } from "../../workspace/tree/read-tree.ts";
import { readingOf } from "../../workspace/tree/reading.ts";
import type { ParkedContents } from "./parked.ts";

export interface ProveOptions {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly env: NodeJS.ProcessEnv;
  /** Whose captures and plans: the sessions of the workspace and the journal of its acts. */
  readonly rows: readonly SessionRow[];
  /** What is parked here, each with every content it takes to bring it back. */
  readonly parked: readonly ParkedContents[];
  readonly onProgress?: (done: number, total: number) => void;
}

/** `partial`: it is known, and a piece of it is not there. */
export type ContentFault = "missing" | "partial" | "damaged";

export interface ProofLoss {
  readonly what: "content" | "path" | "record";
  readonly session: SessionId;
  /** The capture or plan that names it. */
  readonly named_by: string;
  readonly path: PathName | null;
  readonly hash: string | null;
  readonly why: string;
}

export interface Proof {
  readonly captures: number;
  readonly plans: number;
  readonly contents: number;
  readonly bytes: number;
  /** Contents that are not there and said to be so: erased on order, or left out of the bundle their session came in. */
  readonly forgotten: number;
  /** Stretches of records that are lost, and that the user accepted as lost. */
  readonly accepted: number;
  readonly lost: readonly ProofLoss[];
  readonly last: { readonly capture: string; readonly paths: number } | null;
  /** Every parked group, and whether all of it can be brought back. */
  readonly parked: readonly { readonly name: string; readonly plan: string; readonly whole: boolean }[];
}

interface NamedContent {
  readonly hash: ContentHash;
  readonly path: PathName;
  readonly by: string;
  readonly session: SessionId;
}

const RANGE = {
  kinds: ["capture.taken", "plan.made", "plan.kept", "transcript.kept", "forgotten", "rows.lost"],
  pageRows: CAPTURE_PAGE_ROWS,
} as const;

export async function prove(options: ProveOptions): Promise<Proof> {
  const named = new Map<ContentHash, NamedContent>();
  const lost: ProofLoss[] = [];
  const forgetful = new Set<SessionId>();
  const neverCame = new Set<ContentHash>();
  const isAccepted = await acceptedLosses(options.store);
  let accepted = 0;
  let captures = 0;
  let plans = 0;
  for (const { id } of options.rows) {
    const leftOut = await leftOutOf(options.store, id);
    for await (const record of options.store.journal(id, RANGE)) {
      if (record.kind === "forgotten") forgetful.add(id);
      else if (record.isDamaged) lost.push(damagedRecord(record));
      else if (record.kind === "rows.lost") {
        const { fresh, known } = lostRecords(record, isAccepted);
        lost.push(...fresh);
        accepted += known;
      } else if (!record.isForgotten) {
        if (record.kind === "capture.taken") captures++;
        if (record.kind === "plan.made") plans++;
        for (const one of namedBy(record)) {
          if (leftOut.has(one.hash)) neverCame.add(one.hash);
          else if (!named.has(one.hash)) named.set(one.hash, one);
        }
      }
    }
  }
  const faults = new Map<ContentHash, ContentFault>();
  let bytes = 0;
  let forgotten = 0;
  let done = 0;
  for (const one of named.values()) {
    const found = await rehash(options.store, one.hash);
    if (typeof found === "number") bytes += found;
    else faults.set(one.hash, found);
    if (found === "missing" && forgetful.has(one.session)) forgotten++;
    else if (typeof found !== "number") lost.push(lostContent(one, found));
    options.onProgress?.(++done, named.size);
  }
  for (const hash of neverCame) if (!named.has(hash)) forgotten++;
  const last = await lastCapture(options, faults);
  const isTold = (path: ProofLoss): boolean => lost.some(({ hash }) => hash === path.hash);
  return {
    captures,
    plans,
    contents: named.size,
    bytes,
    forgotten,
    accepted,
    lost: [...lost, ...(last?.lost.filter((one) => !isTold(one)) ?? [])],
    last: last && { capture: last.capture, paths: last.paths },
    parked: options.parked.map(({ name, plan, hashes }) => ({
      name,
      plan,
      whole: hashes.every((hash) => named.has(hash) && !faults.has(hash)),
    })),
  };
}

/** Only of the session's own: what a bundle says of others' contents is nothing to go by. */
async function leftOutOf(store: Store, session: SessionId): Promise<ReadonlySet<string>> {
  const moved = await store.records({ session, kinds: ["session.moved"] });
  return new Set(moved.flatMap((record) => bodyAs(record, "session.moved")?.left_out ?? []));
}

function namedBy(record: StoredRecord): NamedContent[] {
  const capture = bodyAs(record, "capture.taken");
  if (capture) return heldBy(capture, record.session);
  const { session } = record;
  const kept = bodyAs(record, "plan.kept");
  if (kept) return namedAs(kept, [kept.state], kept.plan, session);
  const transcript = bodyAs(record, "transcript.kept");
  if (transcript) return namedAs(transcript, transcript.chunks, `${transcript.agent}'s transcript`, session);
  const plan = bodyAs(record, "plan.made");
  if (!plan) return [];
  return [
    ...plan.puts.flatMap((one) => namedAs(one, [one.expect, one.put], plan.plan, session)),
    ...stagedBy(plan, session),
  ];
}

/** Blobs of the index: git may have collected them, and only the store has what was staged. */
function stagedBy({ plan, objects, index }: PlanBody, session: SessionId): NamedContent[] {
  const hashes = new Map(objects.map(({ id, hash }) => [id, hash]));
  return index.flatMap((edit) =>
    [...edit.expect, ...edit.put].flatMap(({ id }) => {
      const hash = hashes.get(id);
      return hash === undefined ? [] : namedAs(edit, [{ hash }], plan, session);
    }),
  );
}

function namedAs(
  at: { readonly path: string; readonly path_b64?: string | undefined },
  states: readonly ({ readonly hash: string | null } | null)[],
  by: string,
  session: SessionId,
): NamedContent[] {
  return states.flatMap((state) =>
    state?.hash ? [{ hash: state.hash as ContentHash, path: pathFromJson(at), by, session }] : [],
  );
}

/** What it names as a gap it does not hold, and says so. */
function heldBy(capture: Capture, session: SessionId): NamedContent[] {
  const { entries, gaps } = readingOf(capture);
  const missing = new Set(gaps.map(({ path }) => path));
  const by = capture.capture;
  const own = entries.flatMap(({ path, state }) =>
    state?.hash && !missing.has(path) ? [{ hash: state.hash, path, by, session }] : [],
  );
  const moved = (capture.moved?.paths ?? []).flatMap(({ from, to, ...path }) =>
    [from, to].flatMap((side) =>
      side?.hash ? [{ hash: side.hash as ContentHash, path: pathFromJson(path), by, session }] : [],
    ),
  );
  return [...own, ...moved];
}

/** How many bytes, or what is wrong with it. */
async function rehash(store: Store, hash: ContentHash): Promise<number | ContentFault> {
  if (!(await store.driver.readContent(hash))) return "missing";
  const whole = createHash("sha256");
  let bytes = 0;
  try {
    for await (const piece of store.readContent(hash)) {
      whole.update(piece);
      bytes += piece.byteLength;
    }
  } catch (thrown) {
    if (!(thrown instanceof RefloatError)) throw thrown;
    if (thrown.code === "E_NO_CONTENT") return "partial";
    if (thrown.code === "E_STORE_DAMAGED") return "damaged";
    throw thrown;
  }
  return whole.digest("hex") === hash ? bytes : "damaged";
}

const FAULT_WORDS: Readonly<Record<ContentFault, string>> = {
  missing: "the store does not hold it",
  partial: "a piece of it is not in the store any more",
  damaged: "what the store holds of it is damaged",
};

const lostContent = ({ session, by, path, hash }: NamedContent, fault: ContentFault): ProofLoss => ({
  what: "content",
  session,
  named_by: by,
  path,
  hash,
  why: FAULT_WORDS[fault],
});

const damagedRecord = ({ session, id }: StoredRecord): ProofLoss => ({
  what: "record",
  session,
  named_by: id,
  path: null,
  hash: null,
  why: "the record is damaged: what it names is not known",
});

/** What a salvage could not read: captures and plans may have been among it. */
function lostRecords(
  record: StoredRecord,
  isAccepted: IsAccepted,
): { readonly fresh: ProofLoss[]; readonly known: number } {
  const ranges = bodyAs(record, "rows.lost")?.ranges ?? [];
  const news = ranges.filter(([from, to]) => !isAccepted({ session: record.session, from, to }));
  const fresh = news.map(
    ([from, to]): ProofLoss => ({
      what: "record",
      session: record.session,
      named_by: record.id,
      path: null,
      hash: null,
      why: `${from === to ? `record #${from} is` : `records #${from} to #${to} are`} lost: what they named is not known`,
    }),
  );
  return { fresh, known: ranges.length - news.length };
}

async function lastCapture(
  { store, workspace, env, rows }: ProveOptions,
  faults: ReadonlyMap<ContentHash, ContentFault>,
): Promise<{ capture: string; paths: number; lost: ProofLoss[] } | null> {
  const [last] = await newestCaptures(store, rows, 1);
  if (!last) return null;
  const held = heldBy({ ...last.capture, moved: null }, last.session);
  const doubtful = held.filter(({ hash }) => faults.has(hash));
  const paths = doubtful.map(({ path }) => path);
  const inTree =
    paths.length === 0
      ? new Map<PathName, ContentHash | null | undefined>()
      : new Map(
          (await readTree(workspace, hashingSink(), { env, clock: store.clock, paths })).entries.map(
            ({ path, state }) => [path, state?.hash],
          ),
        );
  const lost = doubtful.filter(({ path, hash }) => inTree.get(path) !== hash);
  return {
    capture: last.id,
    paths: last.capture.entries.length,
    lost: lost.map(({ path, hash, by, session }) => ({
      what: "path" as const,
      session,
      named_by: by,
      path,
      hash,
      why: "it is neither in the store nor in the tree any more",
    })),
  };
}
