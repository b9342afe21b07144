/**
 * A session's own captures, taken as the session goes (DESIGN 4). What could go wrong, and what is done about it:
 *  - it slows the session: only the begin and the end are waited for; between them one capture runs at a time, what
 *    is asked for meanwhile becomes one more, and calls bring captures by status only for a fifth of the time
 *  - it mixes two calls: a call that may write waits a moment for a capture that is being read; where it does not
 *    wait long enough, the journal shows that they overlapped, and owning takes nothing from it (own.ts)
 *  - it fails: that is a record, once for each cause, and the session goes on
 *  - the session was taken over: captures are written under its attempt, so the store refuses them (K1)
 */

import type { CapturesOf, SessionCaptures } from "../conversation/session-captures.ts";
import type { CaptureReason } from "../model/capture.ts";
import { ensureError, RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import { isJsonObject, type Json } from "../model/json.ts";
import {
  AUTO_CAPTURE_BUDGET_MS,
  AUTO_CAPTURE_REST,
  AUTO_CAPTURE_STATUS_MS,
  CALL_CAPTURE_WAIT_MS,
} from "../model/limits.ts";
import type { PathName } from "../model/path-name.ts";
import { errnoOf } from "../platform/io-error.ts";
import type { Environment } from "../platform/places.ts";
import { newRecord } from "../session/new-record.ts";
import type { Store } from "../store/store.ts";
import { namedPaths } from "./named-paths.ts";
import { recordLeft } from "./record-left.ts";
import { takeCapture } from "./take-capture.ts";
import type { Workspace } from "./workspace.ts";

export interface AutoOptions {
  readonly store: Store;
  readonly env: Environment;
  /** Where the session's workspace was said to be. */
  readonly place: string;
  /** Opened anew for every capture: the repository's configuration may have changed since. */
  readonly workspace: () => Workspace;
  readonly onFailed: (error: Error) => void;
  /** Told of work that goes on after the moment it was asked for. */
  readonly watch: (work: Promise<void>) => Promise<void>;
}

interface Wanted {
  readonly reason: CaptureReason;
  /** Null: by status. */
  readonly paths: ReadonlySet<PathName> | null;
}

const LIMITS = { budgetMs: AUTO_CAPTURE_BUDGET_MS, statusMs: AUTO_CAPTURE_STATUS_MS };
const BY_STATUS_THEN: ReadonlySet<string> = new Set(["E_CAPTURE_GAP", "E_GIT_FAILED"]);
/** Fields of a call's input that say it runs something: what that writes, no name says. */
const COMMAND_FIELDS = ["command", "cmd", "script", "code"] as const;

export function autoCaptures(options: AutoOptions, of: CapturesOf): SessionCaptures {
  const { store, place } = options;
  const { clock } = store;
  const session = of.session as SessionId;
  const toldCodes = new Set<string>();
  let running: Promise<void> | null = null;
  let wanted: Wanted | null = null;
  let restUntilMs = 0;
  let isTooSlow = false;

  async function take({ reason, paths }: Wanted): Promise<string | null> {
    try {
      const workspace = options.workspace();
      const startedMs = clock.monotonicMs();
      const { id } = await takeCapture(store, workspace, {
        env: options.env,
        session,
        reason,
        place,
        limits: LIMITS,
        append: of.append,
        ...(paths === null ? {} : { paths: [...paths], asksGit: true }),
      });
      const endedMs = clock.monotonicMs();
      if (paths === null) restUntilMs = endedMs + AUTO_CAPTURE_REST * (endedMs - startedMs);
      return id;
    } catch (thrown) {
      // A path a call names that cannot be held, or that git cannot make sense of, is no reason to hold nothing (W4).
      if (paths !== null && thrown instanceof RefloatError && BY_STATUS_THEN.has(thrown.code))
        return take({ reason, paths: null });
      await failed(reason, ensureError(thrown));
      return null;
    }
  }

  async function failed(reason: CaptureReason, error: Error): Promise<void> {
    const code = error instanceof RefloatError ? error.code : "E_INTERNAL";
    if (code === "E_GIT_LIMIT") isTooSlow = true;
    options.onFailed(error);
    if (toldCodes.has(code)) return;
    toldCodes.add(code);
    const record = newRecord(clock, "capture.failed", { reason, code, message: error.message });
    // A session that was taken over, or a store that is closed, says so to its next write.
    await of.append([record]).catch(() => undefined);
  }

  function ask(asked: Wanted): void {
    wanted = wanted === null ? asked : merged(wanted, asked);
    running ??= options.watch(work());
  }

  async function work(): Promise<void> {
    while (wanted !== null) {
      const now = wanted;
      wanted = null;
      await take(now);
    }
    running = null;
  }

  function pathsOf(input: Json): ReadonlySet<PathName> | null {
    try {
      return pathsToRead(options.workspace().root, place, input);
    } catch (thrown) {
      // A workspace that is gone, or leads elsewhere by now: the capture itself says so.
      if (thrown instanceof RefloatError || errnoOf(thrown) !== null) return null;
      throw thrown;
    }
  }

  const isResting = (): boolean => isTooSlow || clock.monotonicMs() < restUntilMs;

  return {
    begun: async () => {
      ask({ reason: "begin", paths: null });
      await running;
    },
    turnBegan: () => ask({ reason: "turn-begin", paths: null }),
    callStarts: async (effect) => {
      if (effect === "none" || running === null) return;
      await waitFor(running, CALL_CAPTURE_WAIT_MS);
    },
    callEnded: ({ input, effect }) => {
      if (effect === "none") return;
      const paths = pathsOf(input);
      if (paths !== null) ask({ reason: "call-end", paths });
      else if (!isResting()) ask({ reason: "call-end", paths: null });
    },
    operationEnded: () => ask({ reason: "operation-end", paths: null }),
    turnEnded: () => ask({ reason: "turn-end", paths: null }),
    ending: async () => {
      wanted = null; // the end capture shows it
      await running;
      const id = await take({ reason: "end", paths: null });
      if (id === null) return;
      try {
        await recordLeft(store, options.workspace(), { ...of, session, capture: id, place });
      } catch (thrown) {
        await failed("end", ensureError(thrown));
      }
    },
  };

  async function waitFor(work: Promise<void>, ms: number): Promise<void> {
    const over = new AbortController();
    const timeout = clock.sleep(ms, over.signal).catch(() => undefined); // called off: the work was done first
    await Promise.race([work, timeout]);
    over.abort();
  }
}

/** One capture for both: by status if either is, else of all paths. The later reason says when. */
function merged(a: Wanted, b: Wanted): Wanted {
  const paths = a.paths === null || b.paths === null ? null : new Set([...a.paths, ...b.paths]);
  const reason = a.paths === null && b.paths !== null ? a.reason : b.reason;
  return { reason, paths };
}

/** Null: by status. */
function pathsToRead(root: string, place: string, input: Json): ReadonlySet<PathName> | null {
  if (isJsonObject(input) && COMMAND_FIELDS.some((field) => typeof input[field] === "string")) return null;
  const named = namedPaths(root, place, input).filter((path) => path !== ".git" && !path.startsWith(".git/"));
  return named.length === 0 ? null : new Set(named);
}
