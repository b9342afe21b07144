/** The part of the errors catalogue about agents: their transcripts, and what is set up in their files. */
import { entry } from "./error-entry.ts";

export const AGENT_ERRORS = {
  E_NO_TRANSCRIPT: entry(
    1,
    "{path} is no transcript of an agent that refloat knows.",
    "Say whose it is with --agent ({agents}), where its beginning is gone.",
  ),
  E_ODD_MESSAGE: entry(
    1,
    "A message over ACP was not heard: {why}.",
    "It was passed on as it came. What is behind it is heard; the agent or the editor speaks another form of the protocol.",
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
  E_NO_AGENT_HERE: entry(
    1,
    "None of the agents that refloat knows hooks of was found here: {agents}.",
    "`refloat init --agent A` sets one up all the same. Without hooks: `refloat run -- CMD`.",
  ),
  E_NOT_INSTALLED: entry(
    1,
    "Nothing could be set up: {why}.",
    "Nothing was changed. Mend that file, then `refloat init` again.",
  ),
  E_INSTALL_BUSY: entry(
    75,
    "Another `refloat init` or `refloat uninstall` has been at work in {home} for {seconds} seconds.",
    "Nothing was changed. Wait for it to end, or end it, and try again.",
  ),
  E_BAD_LEDGER: entry(
    1,
    "{path} cannot be used: {why}.",
    "It says what a file was before `refloat init`. Move it away, then `refloat uninstall` takes only our own entries out.",
  ),
  E_PURGE_UNSETTLED: entry(
    1,
    "Not purged: {what}.",
    "{seen} To lose them for good: `refloat uninstall --purge --drop-unsettled`.",
  ),
  E_PURGE_LIVE: entry(
    4,
    "Not purged: {what} still at work.",
    "Wait for them, or `refloat stop ID`; `refloat sessions --all` shows them.",
  ),
} as const;
