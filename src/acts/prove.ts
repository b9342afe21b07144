/**
 * The proof that what captures and plans name is there: every content is read and hashed again (T1). One that is gone
 * is said to be forgotten only where a record of its journal says that something was. Then the last capture's changed
 * paths: each is in the store, or still in the tree with the very bytes.
 */
import { createHash } from "node:crypto";
import type { Capture } from "../model/capture.ts";
import { RefloatError } from "../model/errors.ts";
import type { ContentHash, SessionId } from "../model/ids.ts";
import { READ_PAGE_ROWS } from "../model/limits.ts";
import { type PathName, pathFromJson } from "../model/path-name.ts";
import { bodyAs, type StoredRecord } from "../model/record.ts";
import type { SessionRow } from "../store/driver.ts";
import type { Store } from "../store/store.ts";
import { readingOf } from "../workspace/capture-json.ts";
import { newestCaptures } from "../workspace/captures.ts";
import { hashingSink } from "../workspace/contents-sink.ts";
import { readTree } from "../workspace/read-tree.ts";
import type { Workspace } from "../workspace/workspace.ts";

export interface ProveOptions {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly env: NodeJS.ProcessEnv;
  /** Whose captures and plans: the sessions of the workspace and the journal of its acts. */
  readonly rows: readonly SessionRow[];
  readonly onProgress?: (done: number, total: number) => void;
}

export type ContentFault = "missing" | "damaged";

export interface Lost {
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
  /** Contents that are gone and said to be: erased on order. */
  readonly forgotten: number;
  readonly lost: readonly Lost[];
  readonly last: { readonly capture: string; readonly paths: number } | null;
}

interface Named {
  readonly hash: ContentHash;
  readonly path: PathName;
  readonly by: string;
  readonly session: SessionId;
}

const KINDS = ["capture.taken", "plan.made", "forgotten"] as const;

export async function prove(options: ProveOptions): Promise<Proof> {
  const named = new Map<ContentHash, Named>();
  const lost: Lost[] = [];
  const forgetful = new Set<SessionId>();
  let captures = 0;
  let plans = 0;
  for (const { id } of options.rows) {
    for await (const record of recordsOf(options.store, id)) {
      if (record.kind === "forgotten") forgetful.add(id);
      else if (record.isDamaged) lost.push(damagedRecord(record));
      else if (!record.isForgotten) {
        if (record.kind === "capture.taken") captures++;
        else plans++;
        for (const one of namedBy(record)) if (!named.has(one.hash)) named.set(one.hash, one);
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
  const last = await lastCapture(options, faults);
  const isTold = (path: Lost): boolean => lost.some(({ hash }) => hash === path.hash);
  return {
    captures,
    plans,
    contents: named.size,
    bytes,
    forgotten,
    lost: [...lost, ...(last?.lost.filter((one) => !isTold(one)) ?? [])],
    last: last && { capture: last.capture, paths: last.paths },
  };
}

async function* recordsOf(store: Store, session: SessionId): AsyncGenerator<StoredRecord> {
  for (let fromSeq = 1; ; ) {
    const page = await store.records({ session, fromSeq, kinds: KINDS });
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < READ_PAGE_ROWS) return;
    fromSeq = last.seq + 1;
  }
}

function namedBy(record: StoredRecord): Named[] {
  const capture = bodyAs(record, "capture.taken");
  if (capture) return heldBy(capture, record.session);
  const plan = bodyAs(record, "plan.made");
  if (!plan) return [];
  return plan.puts.flatMap(({ expect, put, ...path }) =>
    [expect, put].flatMap((state) => {
      const hash = state?.hash as ContentHash | null | undefined;
      return hash ? [{ hash, path: pathFromJson(path), by: plan.plan, session: record.session }] : [];
    }),
  );
}

/** What it names as a gap it does not hold, and says so. */
function heldBy(capture: Capture, session: SessionId): Named[] {
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
    if (thrown instanceof RefloatError) return "damaged";
    throw thrown;
  }
  return whole.digest("hex") === hash ? bytes : "damaged";
}

const lostContent = ({ session, by, path, hash }: Named, fault: ContentFault): Lost => ({
  what: "content",
  session,
  named_by: by,
  path,
  hash,
  why: fault === "missing" ? "the store does not hold it" : "the store holds other bytes",
});

const damagedRecord = ({ session, id }: StoredRecord): Lost => ({
  what: "record",
  session,
  named_by: id,
  path: null,
  hash: null,
  why: "the record is damaged: what it names is not known",
});

async function lastCapture(
  { store, workspace, env, rows }: ProveOptions,
  faults: ReadonlyMap<ContentHash, ContentFault>,
): Promise<{ capture: string; paths: number; lost: Lost[] } | null> {
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
