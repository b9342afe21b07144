/** The part of the errors catalogue about transcripts of agents. */
import { entry } from "./error-entry.ts";

export const AGENT_ERRORS = {
  E_NO_TRANSCRIPT: entry(
    1,
    "{path} is no transcript of an agent that refloat knows.",
    "Say whose it is with --agent ({agents}), where its beginning is gone.",
  ),
  E_NOT_KEPT: entry(
    1,
    "Of session {session} no transcript {what} is kept.",
    "`refloat transcript restore {session}` lists what is. Databases are not kept, nor what is older than 90 days or was erased; an export is without it unless --raw.",
  ),
  E_NO_CALL: entry(
    1,
    "There is no call {what} in {path}.",
    "`refloat transcript check --json FILE` lists the calls of a transcript by their ids.",
  ),
  E_NOTHING_TO_REBUILD: entry(
    1,
    "There is nothing to rebuild: {why}.",
    "`refloat rebuild --file TRANSCRIPT --to DIR` reads an agent's file wherever it lies; `refloat captures` lists what refloat itself holds.",
  ),
} as const;
