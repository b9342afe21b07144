/**
 * The sessions an adapter writes to. A framework's store has no beginning and no end of a piece of work, so a session is claimed with the
 * first write and given back when nobody has written for a while: one process writes at a time (K1), the next one need not be
 * told, and one that was killed holds nothing back (K2).
 */
import type { RefloatStore } from "../../app/store/open-store.ts";
import type { BeginOptions } from "../../conversation/begin.ts";
import type { Session } from "../../conversation/session.ts";
import type { Turn } from "../../conversation/turn.ts";
import { RefloatError } from "../../model/errors.ts";
import { every } from "../../platform/clock.ts";

/** Long enough for a model to answer between two writes of one run would be minutes: a run that pauses takes its claim again. */
const IDLE_MS = 1000;
/** How long a write waits for a process that is just done with the session, before it says who holds it. */
const WAIT_MS = 5000;

export interface HoldOptions extends Pick<BeginOptions, "agent" | "workspace" | "thresholdMs" | "lift"> {
  /** Calls off what waits for another process, now and from then on: it rejects with code E_ABORTED, and nothing is claimed. */
  readonly signal?: AbortSignal;
  /** After this long without a write the claim is given back; 1 s unless said. */
  readonly idleMs?: number;
  /** So long a write waits while another process holds the session, then it throws Held; 5 s unless said. */
  readonly waitMs?: number;
  /** Told of each session that a dead process left with something open, as it is taken up. */
  readonly onRecovered?: (session: Session) => void;
}

interface HeldSession {
  readonly session: Promise<Session>;
  users: number;
  /** Looks since nobody used it. */
  idle: boolean;
  turn: { readonly begun: Promise<Turn>; calls: number } | null;
  /** The turn before has its end: only then may the next one begin. */
  ending: Promise<unknown>;
}

const NOTHING = Promise.resolve();

export class HeldSessions {
  readonly store: RefloatStore;
  readonly #options: HoldOptions;
  readonly #held = new Map<string, HeldSession>();
  #timer: { stop(): void } | null = null;

  constructor(store: RefloatStore, options: HoldOptions) {
    this.store = store;
    this.#options = options;
  }

  /** With the session claimed. Another process that has it is waited for, a little, then it throws Held. */
  async use<T>(id: string, name: string, work: (session: Session) => Promise<T>): Promise<T> {
    const held = this.#hold(id, name);
    held.users++;
    try {
      return await work(await held.session);
    } catch (thrown) {
      // Another process presumed this one lost and went on: the next write begins again, and waits for it.
      if (isCode(thrown, "E_FENCED") || isCode(thrown, "E_CLOSED")) this.#held.delete(id);
      throw thrown;
    } finally {
      held.users--;
      held.idle = false;
    }
  }

  /** With a turn open, one for all that run at a time: calls need one, and a framework tells of none. */
  async inTurn<T>(id: string, name: string, work: (turn: Turn, session: Session) => Promise<T>): Promise<T> {
    return this.use(id, name, async (session) => {
      const held = this.#hold(id, name);
      held.turn ??= { begun: held.ending.then(() => session.continueTurn()), calls: 0 };
      const { turn } = held;
      turn.calls++;
      try {
        return await work(await turn.begun, session);
      } finally {
        turn.calls--;
        if (turn.calls === 0 && held.turn === turn) {
          held.turn = null;
          const ended = turn.begun.then((begun) => begun.end("completed"));
          held.ending = ended.catch(() => undefined); // who waits here is told
          await ended;
        }
      }
    });
  }

  /** Gives one back, if it is held here. */
  async release(id: string): Promise<void> {
    const held = this.#held.get(id);
    if (!held) return;
    this.#held.delete(id);
    await (await held.session).release();
  }

  async close(): Promise<void> {
    this.#timer?.stop();
    this.#timer = null;
    await Promise.all([...this.#held.keys()].map((id) => this.release(id)));
  }

  #hold(id: string, name: string): HeldSession {
    const known = this.#held.get(id);
    if (known) return known;
    const held: HeldSession = {
      session: this.#begin(id, name),
      users: 0,
      idle: false,
      turn: null,
      ending: NOTHING,
    };
    this.#held.set(id, held);
    held.session.catch(() => this.#held.delete(id)); // the caller has the error; the next write tries again
    this.#timer ??= every(this.#options.idleMs ?? IDLE_MS, () => this.#giveBackIdle());
    return held;
  }

  async #begin(id: string, name: string): Promise<Session> {
    const { idleMs, waitMs = WAIT_MS, onRecovered, ...begin } = this.#options;
    const session = await this.store.begin({ ...begin, id, name, captures: "off", wait: waitMs });
    if (session.recovered) onRecovered?.(session);
    return session;
  }

  #giveBackIdle(): void {
    for (const [id, held] of this.#held) {
      if (held.users > 0 || !held.idle) held.idle = held.users === 0;
      // What cannot be given back now (the store is gone, somebody took it over) is not held: the kernel says when we are gone.
      else void this.release(id).catch(() => undefined);
    }
    if (this.#held.size > 0) return;
    this.#timer?.stop();
    this.#timer = null;
  }
}

export const isCode = (thrown: unknown, code: string): boolean =>
  thrown instanceof RefloatError && thrown.code === code;

/** Nothing of it is left; one that is not there is no error. */
export async function deleteSession(store: RefloatStore, id: string): Promise<void> {
  try {
    await store.delete(id);
  } catch (thrown) {
    if (!isCode(thrown, "E_NO_SESSION")) throw thrown;
  }
}
