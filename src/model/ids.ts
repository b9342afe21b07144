/** Ids as branded strings: an id of one kind cannot be passed where another is wanted. */
import { RefloatError } from "./errors.ts";
import { MAX_ID_BYTES } from "./limits.ts";

declare const brand: unique symbol;
type BrandedId<Name extends string> = string & { readonly [brand]: Name };

export type SessionId = BrandedId<"session">;
export type RecordId = BrandedId<"record">;
/** SHA-256 of the bytes, lower-case hex. */
export type ContentHash = BrandedId<"content">;

// Control characters would break a terminal line and a JSONL line's readability; path characters are
// harmless because no id is ever used as a file name.
// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing control characters is the point.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const HASH = /^[0-9a-f]{64}$/;

/** One for the whole store each: the user's trust, and what came by an import. */
export const TRUST_SESSION = "refloat-trust" as SessionId;
export const IMPORTS_SESSION = "refloat-imports" as SessionId;
export const LOSSES_SESSION = "refloat-losses" as SessionId;
export const DELETIONS_SESSION = "refloat-deletions" as SessionId;

/** A gateway's own journal is `gateway:<name>`. */
export const GATEWAY_PREFIX = "gateway:";

/** A state file's journal is `workflow-<key>`, and of each step of it `workflow-<key>-<step>`. */
export const WORKFLOW_PREFIX = "workflow-";

/** What waits for workers lies in `queue-<repository>-<priority>`: the first characters of its root commit, and a digit. */
export const QUEUE_PREFIX = "queue-";
export const isQueueSession = (id: string): boolean => /^queue-[0-9a-f]{24}-[0-9]$/.test(id);

/** What all machines of a fleet know of each other beside sessions: which accounts are at their usage limit. */
export const FLEET_SESSION = "refloat-fleet" as SessionId;

/** A worker holds one of its machine's `worker-<hash>` while it is there. */
export const WORKER_PREFIX = "worker-";
export const isWorkerPlace = (id: string): boolean => /^worker-[0-9a-f]{24}$/.test(id);

/** Whoever brings a dead session to his machine holds `resuming-<hash of its id>` meanwhile. */
export const RESUMING_PREFIX = "resuming-";
export const isResuming = (id: string): boolean => /^resuming-[0-9a-f]{24}$/.test(id);

/** Checks an id given from outside: 1 to 200 bytes of well-formed text without control characters. */
export function parseId<Id extends string>(what: string, value: unknown): Id {
  if (typeof value !== "string" || value === "") throw bad(what, "it is empty or not text");
  if (CONTROL.test(value)) throw bad(what, "it has control characters");
  if (value !== value.toWellFormed()) throw bad(what, "it is not well-formed Unicode");
  if (Buffer.byteLength(value) > MAX_ID_BYTES) throw bad(what, `it is longer than ${MAX_ID_BYTES} bytes`);
  return value as Id;
}

export function parseHash(value: unknown): ContentHash {
  if (typeof value !== "string" || !HASH.test(value)) throw bad("content", "it is not a SHA-256 in hex");
  return value as ContentHash;
}

function bad(what: string, why: string): RefloatError {
  return new RefloatError("E_BAD_ID", { what, why });
}

/** A workspace's plans lie in a journal `acts-<hash of its place>`. Told by its id alone: lists of sessions leave it out. */
export const isActsSession = (id: string): boolean => /^acts-[0-9a-f]{24}$/.test(id);

/** Where no agent lives, what the user says himself (`op`, `decide`, `capture`) lies in `manual-<hash of the workspace>`. */
export const MANUAL_PREFIX = "manual-";
export const isManualSession = (id: string): boolean => /^manual-[0-9a-f]{16}$/.test(id);

/** The id that stands for the tree as it is now among captures. */
export const NOW = "now";
