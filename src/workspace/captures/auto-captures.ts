/**
 * A session's own captures, taken as the session goes (DESIGN 4). What could go wrong, and what is done about it:
 *  - it slows the session: only the begin, the end and those of operations are waited for; one capture runs at a time, what
 *    is asked for meanwhile becomes one more, and calls bring captures by status only for a fifth of the time. Who ends an
 *    operation waits, or its capture could show the work that came next and be no witness of the end
 *  - it mixes two calls: a call that may write waits a moment for a capture that is being read; where it does not
 *    wait long enough, the journal shows that they overlapped, and owning takes nothing from it (own.ts)
 *  - it fails: that is a record, once for each cause, and the session goes on
 *  - the session was taken over: captures are written under its attempt, so the store refuses them (K1)
 */
import type { CapturesOf, SessionCaptures } from "../../conversation/session-captures.ts";
import type { CaptureReason } from "../../model/capture.ts";
import { ensureError, RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import {
  AUTO_CAPTURE_BUDGET_MS,
  AUTO_CAPTURE_REST,
  AUTO_CAPTURE_STATUS_MS,
  CALL_CAPTURE_WAIT_MS,
} from "../../model/limits.ts";
import type { PathName } from "../../model/path-name.ts";
import type { Effect } from "../../model/record.ts";
import { errnoOf } from "../../platform/io-error.ts";
import type { Environment } from "../../platform/places.ts";
import { within } from "../../platform/within.ts";
import { newRecord } from "../../session/new-record.ts";
import type { Store } from "../../store/store.ts";
import type { Workspace } from "../opening/workspace.ts";
import { recordLeft } from "../owning/left-changes.ts";
import { namedPaths } from "../owning/named-paths.ts";
import { takeCapture } from "./take-capture.ts";

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

interface WantedCapture {
  readonly reason: CaptureReason;
  /** Null: by status. */
  readonly paths: ReadonlySet<PathName> | null;
  /** Operations that ended and whose author waits. */
  readonly ended?: readonly string[];
}

const LIMITS = { budgetMs: AUTO_CAPTURE_BUDGET_MS, statusMs: AUTO_CAPTURE_STATUS_MS };
const BY_STATUS_THEN: ReadonlySet<string> = new Set(["E_CAPTURE_GAP", "E_GIT_FAILED"]);
/** Fields of a call's input that say it runs something: what that writes, no name says. */
const COMMAND_FIELDS = ["command", "cmd", "script", "code"] as const;

export const autoCaptures = (options: AutoOptions, of: CapturesOf): SessionCaptures =>
  new AutoCaptures(options, of);

/** Lives as long as its session is held. */
class AutoCaptures implements SessionCaptures {
  readonly #options: AutoOptions;
  readonly #of: CapturesOf;
  readonly #toldCodes = new Set<string>();
  #running: Promise<void> | null = null;
  #wanted: WantedCapture | null = null;
  #restUntilMs = 0;
  #isTooSlow = false;

  constructor(options: AutoOptions, of: CapturesOf) {
    this.#options = options;
    this.#of = of;
  }

  async begun(): Promise<void> {
    this.#ask({ reason: "begin", paths: null });
    await this.#running;
  }

  turnBegan(): void {
    this.#ask({ reason: "turn-begin", paths: null });
  }

  async callStarts(effect: Effect): Promise<void> {
    if (effect === "none" || this.#running === null) return;
    await within(this.#options.store.clock, CALL_CAPTURE_WAIT_MS, this.#running);
  }

  callEnded({ input, effect }: Parameters<SessionCaptures["callEnded"]>[0]): void {
    if (effect === "none") return;
    const paths = this.#pathsOf(input);
    if (paths !== null) this.#ask({ reason: "call-end", paths });
    else if (!this.#isResting()) this.#ask({ reason: "call-end", paths: null });
  }

  async operationBegan(): Promise<void> {
    this.#ask({ reason: "operation-begin", paths: null });
    await this.#running;
  }

  async operationEnded(operation: string | null): Promise<void> {
    this.#ask({ reason: "operation-end", paths: null, ended: operation === null ? [] : [operation] });
    await this.#running;
  }

  turnEnded(): void {
    this.#ask({ reason: "turn-end", paths: null });
  }

  async ending(): Promise<void> {
    const { store, place } = this.#options;
    this.#wanted = null; // the end capture shows it
    await this.#running;
    const id = await this.#take({ reason: "end", paths: null });
    if (id === null) return;
    try {
      const about = { ...this.#of, session: this.#session, capture: id, place };
      await recordLeft(store, this.#options.workspace(), about);
    } catch (thrown) {
      await this.#failed("end", ensureError(thrown));
    }
  }

  get #session(): SessionId {
    return this.#of.session as SessionId;
  }

  #ask(asked: WantedCapture): void {
    this.#wanted = this.#wanted === null ? asked : merged(this.#wanted, asked);
    this.#running ??= this.#options.watch(this.#work());
  }

  async #work(): Promise<void> {
    while (this.#wanted !== null) {
      const now = this.#wanted;
      this.#wanted = null;
      await this.#take(now);
    }
    this.#running = null;
  }

  async #take({ reason, paths, ended = [] }: WantedCapture): Promise<string | null> {
    const { store, env, place } = this.#options;
    try {
      const workspace = this.#options.workspace();
      const startedMs = store.clock.monotonicMs();
      const { id } = await takeCapture(store, workspace, {
        env,
        session: this.#session,
        reason,
        place,
        ended,
        limits: LIMITS,
        append: this.#of.append,
        ...(paths === null ? {} : { paths: [...paths], asksGit: true }),
      });
      const endedMs = store.clock.monotonicMs();
      if (paths === null) this.#restUntilMs = endedMs + AUTO_CAPTURE_REST * (endedMs - startedMs);
      return id;
    } catch (thrown) {
      // A path a call names that cannot be held, or that git cannot make sense of, is no reason to hold nothing (W4).
      if (paths !== null && thrown instanceof RefloatError && BY_STATUS_THEN.has(thrown.code))
        return this.#take({ reason, paths: null });
      await this.#failed(reason, ensureError(thrown));
      return null;
    }
  }

  async #failed(reason: CaptureReason, error: Error): Promise<void> {
    const code = error instanceof RefloatError ? error.code : "E_INTERNAL";
    if (code === "E_GIT_LIMIT") this.#isTooSlow = true;
    this.#options.onFailed(error);
    if (this.#toldCodes.has(code)) return;
    this.#toldCodes.add(code);
    const body = { reason, code, message: error.message };
    const record = newRecord(this.#options.store.clock, "capture.failed", body);
    // A session that was taken over, or a store that is closed, says so to its next write.
    await this.#of.append([record]).catch(() => undefined);
  }

  #pathsOf(input: Json): ReadonlySet<PathName> | null {
    try {
      return pathsToRead(this.#options.workspace().root, this.#options.place, input);
    } catch (thrown) {
      // A workspace that is gone, or leads elsewhere by now: the capture itself says so.
      if (thrown instanceof RefloatError || errnoOf(thrown) !== null) return null;
      throw thrown;
    }
  }

  #isResting(): boolean {
    return this.#isTooSlow || this.#options.store.clock.monotonicMs() < this.#restUntilMs;
  }
}

/** One capture for both: by status if either is, else of all paths. The later reason says when. */
function merged(a: WantedCapture, b: WantedCapture): WantedCapture {
  const paths = a.paths === null || b.paths === null ? null : new Set([...a.paths, ...b.paths]);
  const reason = a.paths === null && b.paths !== null ? a.reason : b.reason;
  return { reason, paths, ended: [...(a.ended ?? []), ...(b.ended ?? [])] };
}

/** Null: by status. */
function pathsToRead(root: string, place: string, input: Json): ReadonlySet<PathName> | null {
  if (isJsonObject(input) && COMMAND_FIELDS.some((field) => typeof input[field] === "string")) return null;
  const named = namedPaths(root, place, input).filter((path) => path !== ".git" && !path.startsWith(".git/"));
  return named.length === 0 ? null : new Set(named);
}
