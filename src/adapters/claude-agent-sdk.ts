/**
 * `refloat/claude-agent-sdk`: a SessionStore of the Claude Agent SDK on a refloat store. A transcript is a session, an entry a record
 * whose id is the entry's `uuid`, so that what is sent again is there once (D4). docs/claude-agent-sdk.md.
 *
 * The types are the SDK's own by shape: its package brings a program of some hundred megabytes, and nothing of it is needed here.
 */
import { createHash } from "node:crypto";
import type { RefloatStore } from "../app/store/open-store.ts";
import type { Session } from "../conversation/session.ts";
import { giving } from "../model/errors.ts";
import { MAX_RECORDS_PER_CHANGE } from "../model/limits.ts";
import { deleteSession, HeldSessions, type HoldOptions } from "./shared/held-sessions.ts";
import { sessionIdFor } from "./shared/session-id.ts";

const PREFIX = "claude-agent-sdk";
const ENTRY = "claude-agent-sdk.entry";
/** Enough of a hash to tell a user's projects apart, and short enough to leave room for the rest of an id. */
const PROJECT_CHARS = 16;

/** The SDK's `SessionKey`. */
export interface TranscriptKey {
  readonly projectKey: string;
  readonly sessionId: string;
  readonly subpath?: string;
}

/** The SDK's `SessionStoreEntry`. */
export interface TranscriptEntry {
  type: string;
  uuid?: string;
  timestamp?: string;
  [field: string]: unknown;
}

export interface RefloatTranscriptsOptions extends Partial<Omit<HoldOptions, "agent">> {
  readonly agent?: string;
  readonly prefix?: string;
}

/** Hand it to `query({ options: { sessionStore } })`. */
export class RefloatTranscripts {
  readonly #store: RefloatStore;
  readonly #held: HeldSessions;
  readonly #prefix: string;
  /** One call after the other: a large entry is longer on its way than the next call's. */
  readonly #tails = new Map<string, Promise<unknown>>();
  /** Of a main transcript, or of something below it: what is appended later is not deleted. */
  readonly #deletions = new Map<string, Promise<unknown>>();

  constructor(store: RefloatStore, { prefix = PREFIX, ...hold }: RefloatTranscriptsOptions = {}) {
    this.#store = store;
    this.#prefix = prefix;
    this.#held = new HeldSessions(store, { agent: PREFIX, workspace: PREFIX, ...hold });
  }

  /** On disk when it resolves, in the order of the calls. An entry whose `uuid` is there already is passed over. */
  append(key: TranscriptKey, entries: readonly TranscriptEntry[]): Promise<void> {
    const name = key.subpath === undefined ? key.sessionId : key.subpath;
    const id = this.#sessionOf(key);
    const main = this.#sessionOf({ projectKey: key.projectKey, sessionId: key.sessionId });
    const before = [this.#tails.get(id), this.#deletions.get(main)];
    return this.#after(before, id, this.#tails, () =>
      this.#held.use(id, name, (session) => appendAll(session, entries)),
    );
  }

  /** Null: never written, or deleted. */
  async load(key: TranscriptKey): Promise<TranscriptEntry[] | null> {
    const entries: TranscriptEntry[] = [];
    for await (const { body, isForgotten } of this.#store.records(this.#sessionOf(key), { kinds: [ENTRY] }))
      if (!isForgotten) entries.push(body.entry as unknown as TranscriptEntry);
    return entries.length === 0 ? null : entries;
  }

  async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
    const found: { sessionId: string; mtime: number }[] = [];
    for (const { id, name } of await this.#store.sessions({ prefix: this.#project(projectKey) })) {
      if (name === null || id.endsWith(SUB) || id.includes(`${SUB}:`)) continue;
      const last = this.#store.records(id, { kinds: [ENTRY], order: "backward", pageRows: 1 });
      const { value } = await last.next();
      if (value) found.push({ sessionId: name, mtime: value.atMs });
    }
    return found;
  }

  async listSubkeys({ projectKey, sessionId }: TranscriptKey): Promise<string[]> {
    const prefix = `${this.#sessionOf({ projectKey, sessionId })}${SUB}:`;
    const found = await this.#store.sessions({ prefix });
    return found.flatMap(({ name }) => (name === null ? [] : [name]));
  }

  /** Nothing of it is left; of a main transcript neither of those below it. What was appended before goes with it, what comes later stays. */
  delete(key: TranscriptKey): Promise<void> {
    const id = this.#sessionOf(key);
    const main = this.#sessionOf({ projectKey: key.projectKey, sessionId: key.sessionId });
    const isWhole = key.subpath === undefined;
    const under = [...this.#tails].filter(([of]) => of === id || (isWhole && of.startsWith(`${id}${SUB}:`)));
    const before = [this.#deletions.get(main), ...under.map(([, tail]) => tail)];
    return this.#after(before, main, this.#deletions, async () => {
      const below = isWhole ? await this.#store.sessions({ prefix: `${id}${SUB}:` }) : [];
      for (const one of [...below.map((session) => session.id), id]) {
        await this.#held.release(one);
        await deleteSession(this.#store, one);
      }
    });
  }

  /** Gives every transcript back. The store is the caller's to close. */
  close(): Promise<void> {
    return this.#held.close();
  }

  /** Whoever comes later waits for it, whether it fails or not. */
  async #after(
    before: readonly (Promise<unknown> | undefined)[],
    id: string,
    tails: Map<string, Promise<unknown>>,
    work: () => Promise<void>,
  ): Promise<void> {
    const done = Promise.all(before).then(work);
    const tail: Promise<unknown> = done
      .catch(() => undefined) // the caller has the error
      .then((): void => {
        if (tails.get(id) === tail) tails.delete(id);
      });
    tails.set(id, tail);
    await done;
  }

  #project(projectKey: string): string {
    const hash = createHash("sha256").update(projectKey).digest("hex").slice(0, PROJECT_CHARS);
    return `${this.#prefix}:${hash}:`;
  }

  #sessionOf({ projectKey, sessionId, subpath }: TranscriptKey): string {
    const main = sessionIdFor(this.#project(projectKey).slice(0, -1), sessionId);
    return subpath === undefined ? main : sessionIdFor(`${main}${SUB}`, subpath);
  }
}

/** Between a main transcript's id and what lies below it. */
const SUB = "//";

/** All at once, in their order; where one was told before in other words the first stand, and the others come one by one. */
async function appendAll(session: Session, entries: readonly TranscriptEntry[]): Promise<void> {
  const records = entries.map((entry) => ({
    kind: ENTRY,
    body: { entry },
    ...(entry.uuid ? { id: `entry:${entry.uuid}` } : {}),
  }));
  for (let at = 0; at < records.length; at += MAX_RECORDS_PER_CHANGE) {
    const some = records.slice(at, at + MAX_RECORDS_PER_CHANGE);
    const isDone = await session.recordAll(some).then(() => true, giving(false, "E_ID_REUSED"));
    if (isDone) continue;
    for (const one of some) await session.recordAll([one]).catch(giving(undefined, "E_ID_REUSED"));
  }
}
