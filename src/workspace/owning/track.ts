/** What a session's journal says about paths, in the form in which ownership is decided. */
import type { PathName } from "../../model/path-name.ts";
import type { KeptEdit } from "../../model/recorded-edit.ts";

export interface TrackedCall {
  readonly id: string;
  readonly tool: string;
  readonly startedSeq: number;
  /** Null: no result, or only one that recovery wrote (C4). */
  readonly endedSeq: number | null;
  /** When recovery settled it, it was over at the latest. */
  readonly settledSeq: number | null;
  readonly paths: readonly PathName[];
  /** A call known only to read changes nothing. */
  readonly mayWrite: boolean;
  readonly operations: readonly string[];
  /** Left out: it was recorded while it ran. */
  readonly heard?: CallHearsay;
}

/** What is known of a call that was heard of afterwards. */
export interface CallHearsay {
  /** Changed paths that its command has as a word. */
  mentions(path: PathName): boolean;
  /** Of those, what it says that it writes: into which it redirects, which it copies to, edits in place, takes away. */
  writes(path: PathName): boolean;
  /** Whole files it left, by the hash of their bytes. */
  readonly wrote: ReadonlyMap<PathName, string>;
  /** How it found files that it changed. */
  readonly found: ReadonlyMap<PathName, FoundState>;
  /** Its command makes a commit. */
  readonly commits: boolean;
  /** Its result came, and says that it went well. */
  readonly isDone: boolean;
  /** What it was to do to each file, in order. */
  readonly edits: ReadonlyMap<PathName, readonly KeptEdit[]>;
  /** Whole files it left, hashed with LF for every line's end and without a byte order mark. */
  readonly leftPlain: ReadonlyMap<PathName, string>;
}

export interface FoundState {
  /** Of the bytes; null: there was no file. */
  readonly hash: string | null;
  /** Hashed with LF for every line's end, and without a byte order mark. */
  readonly areLineEndsLost: boolean;
}

export interface TrackedCapture {
  readonly id: string;
  readonly seq: number;
  readonly reason: string;
  readonly atMs: number;
  /** Operations that had just ended and whose author waited for it. */
  readonly ended?: readonly string[];
  /** The commit that "clean" means; null: no commit, or no git. */
  readonly headId: string | null;
  /** One text per state (`stateKey`, or "clean": as HEAD has it); null: not looked at, or a gap. */
  keyAt(path: PathName): string | null;
  /** Every path it names with a state: of a capture by status, what differs from HEAD. */
  readonly changedPaths: readonly PathName[];
  /** Paths it names and knows nothing of (W4). */
  readonly gaps?: readonly PathName[];
  readonly others: ReadonlyMap<string, { readonly before: number; readonly after: number }>;
}

export interface SessionTrack {
  readonly session: string;
  readonly captures: readonly TrackedCapture[];
  readonly calls: readonly TrackedCall[];
  readonly isSupervised: boolean;
}
