/** The errors of a session's way into another store (docs/decisions/0027). */
export const SEND_ERRORS = {
  E_SENT: {
    exit: 1,
    message: "Session {session} was sent away{where}: nothing more of it is written here.",
    hint: "It goes on there. If it never arrived: `refloat send {session} --take-back`.",
  },
  E_SEND_OPEN: {
    exit: 1,
    message: "Session {session} was on its way to {to}, and nobody could be asked whether it arrived: {why}",
    hint: "`refloat send {session} {target}` finishes it, `refloat send {session} --take-back` keeps it here; both ask the other side. Is that gone for good: `--take-back --gone WHY`.",
  },
  E_SEND_ELSEWHERE: {
    exit: 1,
    message: "Session {session} is being sent to {to}, not to {target}.",
    hint: "Finish that (`refloat send {session} {typed}`), or take it back first: `refloat send {session} --take-back`.",
  },
  E_SEND_ARRIVED: {
    exit: 1,
    message: "Session {session} is not taken back: it arrived at {to}.",
    hint: "It goes on there; from there it can be sent back.",
  },
  E_SEND_FILE_AWAY: {
    exit: 1,
    message:
      "The file that session {session} was sent in is not at {path}, and was finished: whoever has it may take it in.",
    hint: "`refloat send {session} {path}` writes it again. Have it: take it in here (`refloat store import FILE`), which brings it back. Is it gone for good: `refloat send {session} --take-back --gone WHY`.",
  },
  E_SEND_FILE_WHOLE: {
    exit: 1,
    message:
      "Session {session} is whole in {path}: whoever can read that file may have taken it in, and it stays where it is.",
    hint: "Where it was taken in it goes on, and can be sent back from. Nobody did: `refloat send {session} --take-back --gone WHY` takes the file away and goes on here, on your word.",
  },
  E_SEND_NOT_SENT: {
    exit: 1,
    message: "Session {session} was not sent away: there is nothing to take back.",
    hint: "`refloat show {session}` shows where it is.",
  },
  E_SEND_NOT_THIS: {
    exit: 1,
    message: "{session} is not sent anywhere: {why}.",
    hint: "`refloat sessions` lists those that an agent had.",
  },
  E_SEND_SSH: {
    exit: 1,
    message: "{host} could not be asked: {why}",
    hint: "Try `ssh {host}` yourself. Nothing is lost, and the same command again goes on where this one stopped.",
  },
  E_SEND_THERE: {
    exit: 1,
    message: "{host} refused: {why}",
    hint: "The session stays where it was. What was said is from there; `--program` says where refloat is on that machine.",
  },
  E_SEND_SAME: {
    exit: 1,
    message: "{to} uses the same store as this machine: session {session} is there already.",
    hint: "There, in a clone of its repository: `refloat resume {session} --recreate`.",
  },
  E_SEND_OTHER: {
    exit: 1,
    message: "This file was made for the store {wanted}, and this is {found}.",
    hint: "Take it in on the machine it was made for; `refloat store info --json` there shows its `store_id`.",
  },
  E_SEND_STORE: {
    exit: 1,
    message:
      "Session {session} went to the store {wanted}, and {host} answers with {found}: its word counts for nothing.",
    hint: "Is that another machine now, another user, or another REFLOAT_HOME or REFLOAT_STORE there? `--program` says which refloat is asked. Is the store gone for good: `refloat send {session} --take-back --gone WHY`.",
  },
  E_SEND_REFUSED: {
    exit: 1,
    message: "The transfer {transfer} was called off.",
    hint: "Its session goes on where it was. `refloat send` there makes a new one.",
  },
  E_SEND_DIVERGED: {
    exit: 1,
    message: "Session {session} cannot be taken in: {why}.",
    hint: "Nothing was changed. What is here of it: `refloat show {session}`.",
  },
} as const;
