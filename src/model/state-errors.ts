/** The errors about the workflow's state file and its steps. */
export const STATE_ERRORS = {
  E_STATE_DAMAGED: {
    exit: 5,
    message: "The state file {path} cannot be used: {why}",
    hint: "`refloat state repair {path}` brings back the newest whole version and keeps this one beside it.",
  },
  E_STATE_HISTORY: {
    exit: 1,
    message: "There was a state file {path}: {left}.",
    hint: "`refloat state repair {word}` brings it back with all progress; `{anew}` starts over and keeps what is left.",
  },
  E_STATE_INVALID: {
    exit: 1,
    message: "This would leave the state file {path} broken: {why}",
    hint: "Nothing was changed. `refloat state validate {path}` shows what is wrong.",
  },
  E_STATE_CONFLICT: {
    exit: 1,
    message: "{path} has both sides of a merge in it, and they differ in {fields}.",
    hint: "Choose a side: `refloat state repair --ours {word}` or `refloat state repair --theirs {word}`; the file is kept beside it.",
  },
  E_STATE_EDITED: {
    exit: 75,
    message: "The state file {path} was changed by somebody else at this very moment.",
    hint: "Nothing was overwritten. Run the command again: it takes the other change in.",
  },
  E_STEP: {
    exit: 1,
    message: "Step {step} {why}.",
    hint: "{instead}",
  },
  E_STEP_HELD: {
    exit: 4,
    message: "Step {step} is held by {by}: {why}.",
    hint: "Wait for it, or {instead}.",
  },
  E_STEP_FENCED: {
    exit: 4,
    message: "{owner} does not hold step {step} any more: {why}.",
    hint: "Nothing was changed. {instead}",
  },
} as const;
