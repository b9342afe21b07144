export const SESSION_STATES = ["live", "idle", "interrupted", "suspended", "finished"] as const;
export type SessionState = (typeof SESSION_STATES)[number];

export interface SessionLife {
  /** Its owner is alive, or cannot be proved dead (K2); or the agent it watched over still is. */
  readonly isHeld: boolean;
  /** A turn, call or message is open. */
  readonly isOpen: boolean;
  /** The last turn was interrupted, and none has ended otherwise since (L1). */
  readonly isCutOff: boolean;
  readonly isFinished: boolean;
  readonly isSuspended: boolean;
}

export const EVENTS = [
  "taken",
  "opened",
  "completed",
  "stopped",
  "cut-off",
  "released",
  "finished",
  "died",
  "suspended",
  "lifted",
] as const;
export type LifeEvent = (typeof EVENTS)[number];

/** What each event is, for the page and for whoever adds one. */
export const EVENT_WORDS: Readonly<Record<LifeEvent, string>> = {
  taken: "somebody takes the claim: a new session, a resume, a recovery",
  opened: "a turn, call or message begins",
  completed: "the turn ends, completed: nothing is open any more",
  stopped: "the turn ends, cancelled or failed",
  "cut-off": "the turn ends, interrupted: by recovery, or by a supervisor that saw it die",
  released: "the owner gives the claim back without ending the session",
  finished: "the session ends by its owner's word, or by `stop`",
  died: "the owner's death is proved, or presumed between hosts (K2); being unreachable is no event",
  suspended: "three dirty ends without progress, or `suspend`",
  lifted: "`lift`",
};

/** Nobody has begun it. */
export const UNBORN: SessionLife = {
  isHeld: false,
  isOpen: false,
  isCutOff: false,
  isFinished: false,
  isSuspended: false,
};

/** Total: what cannot happen in a life changes nothing in it. The store refuses such a record besides (K1). */
export function transition(life: SessionLife, event: LifeEvent): SessionLife {
  switch (event) {
    case "taken":
      return { ...life, isHeld: true, isFinished: false };
    case "opened":
      return life.isHeld ? { ...life, isOpen: true } : life;
    case "completed":
    case "stopped":
      return life.isHeld && life.isOpen ? { ...life, isOpen: false, isCutOff: false } : life;
    case "cut-off":
      return life.isHeld && life.isOpen ? { ...life, isOpen: false, isCutOff: true } : life;
    case "released":
    case "died":
      return { ...life, isHeld: false };
    case "finished":
      return life.isHeld ? { ...life, isHeld: false, isFinished: true } : life;
    case "suspended":
      return { ...life, isSuspended: true };
    case "lifted":
      return { ...life, isSuspended: false };
    default:
      return event satisfies never;
  }
}

/** L4: suspended beats interrupted, and what ended. L5: idle is not interrupted. */
export function nameOf(life: SessionLife): SessionState {
  if (life.isHeld) return "live";
  if (life.isSuspended) return "suspended";
  if (life.isFinished) return "finished";
  return life.isOpen || life.isCutOff ? "interrupted" : "idle";
}
