/** The errors of `run` before there is an agent; after that its exit code is the agent's (DESIGN 10). */
export const RUN_ERRORS = {
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
