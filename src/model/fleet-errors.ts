/** The errors of queues and workers (docs/fleet.md). */
export const FLEET_ERRORS = {
  E_QUEUE_REPOSITORY: {
    exit: 1,
    message:
      "Which repository {path} is cannot be told: it is a plain folder, has no commit, or its history is cut off.",
    hint: "A queue belongs to the commit a repository began with. In a shallow clone: `git fetch --unshallow`.",
  },
  E_QUEUE_FULL: {
    exit: 75,
    message: "{count} items wait there already, and that is all a queue takes of one priority.",
    hint: "`refloat queue list` shows them. Add again when some are done, or with another --priority.",
  },
  E_BAD_POLICY: {
    exit: 64,
    message: "The policy {path} cannot be used: {why}.",
    hint: "schemas/worker-policy.json of the package describes it; docs/fleet.md has one.",
  },
  E_WORKER_TREE: {
    exit: 1,
    message: "There is no work tree for session {session} at {path}: {why}.",
    hint: "Move what is there away; a worker then makes one.",
  },
  E_NO_ITEM: {
    exit: 1,
    message: "There is no item {what} in any queue.",
    hint: "`refloat queue list --all --ended` lists them.",
  },
  E_ITEM_STATE: {
    exit: 1,
    message: "Item {item} is {state}: {why}.",
    hint: "`refloat queue list --all --ended` shows what became of each.",
  },
} as const;
