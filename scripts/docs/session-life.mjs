// What can happen to a session and what each of it does to its life: what docs/lifecycle.md is drawn from. In the product
// the store's projections tell a life (src/session/state.ts); src/session/lifecycle.test.ts holds the two against each
// other over whatever is done in whatever order (D2).

/** What each event is, for the page and for whoever adds one. */
export const EVENT_WORDS = {
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

export const EVENTS = Object.keys(EVENT_WORDS);

/** Nobody has begun it. */
export const UNBORN = {
  isHeld: false,
  isOpen: false,
  isCutOff: false,
  isFinished: false,
  isSuspended: false,
};

/** Total: what cannot happen in a life changes nothing in it. The store refuses such a record besides (K1). */
export function transition(life, event) {
  const isAtWork = life.isHeld && life.isOpen;
  switch (event) {
    case "taken":
      return { ...life, isHeld: true, isFinished: false };
    case "opened":
      return life.isHeld ? { ...life, isOpen: true } : life;
    case "completed":
    case "stopped":
      return isAtWork ? { ...life, isOpen: false, isCutOff: false } : life;
    case "cut-off":
      return isAtWork ? { ...life, isOpen: false, isCutOff: true } : life;
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
      throw new Error(`${event} is no event of a life`);
  }
}
