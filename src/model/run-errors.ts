/**
 * The errors of `resume`, why a session is not gone on with; and of `run` before there is an agent: after that its
 * exit code is the agent's (DESIGN 10).
 */
export const RESUME_ERRORS = {
  E_RESUME_FINISHED: {
    exit: 1,
    message: "Session {session} ended by its own word: there is nothing to go on with.",
    hint: "What it left: `refloat inspect {session}`. New work is a new session: `refloat run -- CMD`.",
  },
  E_RESUME_CONTINUED: {
    exit: 1,
    message: "The work of session {session} was taken up by session {by}.",
    hint: "Go on with that one: `refloat resume {by}`.",
  },
  E_RESUME_SUSPENDED: {
    exit: 1,
    message: "Session {session} is suspended: {why}.",
    hint: "Look why (`refloat show {session}`), then `refloat lift {session}`.",
  },
  E_RESUME_NO_COMMAND: {
    exit: 1,
    message: "How session {session} was started is not known well enough to start it again: {why}.",
    hint: "Read its brief (`refloat handoff {session}`) and start the agent yourself: `refloat run -- CMD`.",
  },
  E_RECREATE_TAKEN: {
    exit: 1,
    message: "The work tree of session {session} is not brought back: something is at {path}.",
    hint: "Move that away, or look at the files elsewhere: `refloat restore {capture} --to DIR`.",
  },
  E_RECREATE_ELSEWHERE: {
    exit: 1,
    message: "The work tree of session {session} is not brought back: {branch} is checked out at {where}.",
    hint: "Look at the files elsewhere (`refloat restore {capture} --to DIR`), or check out another branch there first.",
  },
  E_RECREATE_MOVED: {
    exit: 1,
    message: "The work tree of session {session} is not brought back: {what} was at {was}, it is at {is}.",
    hint: "If that is right: `git worktree add {path} {branch}`, there `refloat restore {capture}`, then `refloat resume {session}`.",
  },
  E_RECREATE_UNKNOWN: {
    exit: 1,
    message: "The workspace of session {session} cannot be brought back: {why}.",
    hint: "What it left is held: `refloat restore {session}` puts it into a clone of its repository, and `refloat restore {session} --to DIR` copies it out.",
  },
  E_RECREATE_CHANGED: {
    exit: 3,
    message:
      "The work tree {path} is back, but {count} of its files were changed by somebody meanwhile: {paths}.",
    hint: "They stay as they are. To have the captured ones: `refloat restore {capture} PATH` there. Then `refloat resume {session}`.",
  },
  E_CHECKOUT_OLDER: {
    exit: 1,
    message:
      "{path} is older than what session {session} left there: {what}. Was it put back from an image or a backup?",
    hint: "Nothing was started. What is held of it: `refloat restore {session} --to DIR`; with its commits, where the store has them: `refloat resume {session} --recreate --to DIR`. To go on in the tree as it is: --accept-older.",
  },
  E_TRAVEL_MISSING: {
    exit: 1,
    message:
      "Session {session} stands on commit {commit}, and neither {path} nor what is kept of the session has it.",
    hint: "`{fetch}` there may bring it. Else fetch it from whoever has it. What is held of its files, copied out: `refloat restore {session} --to DIR`.",
  },
  E_TRAVEL_CLONE: {
    exit: 1,
    message: "{url} could not be cloned for session {session}: {why}",
    hint: "Clone it yourself, and there `refloat resume {session} --recreate`.",
  },
  E_TRAVEL_OTHER: {
    exit: 1,
    message: "{path} is no clone of the repository of session {session}: none of its commits is there.",
    hint: "In a shallow clone `git fetch --unshallow` first. Else type it in a clone of its repository, or have one made: `refloat resume {session} --recreate --from URL --to DIR`.",
  },
  E_RESUME_HELD: {
    exit: 1,
    message:
      "What session {session} left is held and not in {path}: it would start on a tree without its own work.",
    hint: "`refloat resume {session} --recreate` puts it back first and goes on.",
  },
  E_RESUME_NONE: {
    exit: 1,
    message: "No session is interrupted {where}.",
    hint: "`refloat sessions` lists them.",
  },
} as const;

/** The errors of `run` before there is an agent; after that its exit code is the agent's (DESIGN 10). */
export const RUN_ERRORS = {
  E_LOOP_NO_SESSION: {
    exit: 1,
    message: "The next session of the loop could not be begun (code {code}).",
    hint: "What was said above is why. `refloat sessions` shows who holds the name.",
  },
  E_RUN_BUSY: {
    exit: 4,
    message: "{name} is busy here: session {session} is live.",
    hint: "Wait for it (`--if-busy wait`), pass over it (`--if-busy skip`), or `refloat stop {session}`.",
  },
  E_RUN_SUSPENDED: {
    exit: 125,
    message: "{name} is suspended: session {session} ended again and again without getting anything done.",
    hint: "Look why (`refloat show {session}`), then `refloat lift {session}`.",
  },
  E_RUN_NOT_FOUND: {
    exit: 127,
    message: "There is no program {program}.",
    hint: "Check its name and PATH; nothing was started.",
  },
  E_RUN_NOT_EXECUTABLE: {
    exit: 126,
    message: "{program} cannot be executed: {why}.",
    hint: "Make it executable, or start it through its interpreter; nothing was started.",
  },
  E_RUN_NOT_STARTED: {
    exit: 125,
    message: "{program} could not be started: {why}.",
    hint: "Nothing ran. With REFLOAT_OFF=1 it is started without refloat.",
  },
} as const;
