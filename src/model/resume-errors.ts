/** The errors of `resume`: why a session is not gone on with. */
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
  E_RESUME_NONE: {
    exit: 1,
    message: "No session is interrupted {where}.",
    hint: "`refloat sessions` lists them.",
  },
} as const;
