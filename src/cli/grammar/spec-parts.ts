/** Flags and arguments that mean the same to several commands, each written once. */
import type { ArgumentSpec, OptionSpec } from "./command-grammar.ts";

export const RAW: OptionSpec = { flags: "--raw", about: "leave secrets in" };
/** Of a command that acts by a plan. */
export const DRY_RUN: OptionSpec = { flags: "--dry-run", about: "show the plan, change nothing" };

/** Of what the page shows, too. */
export const WEB: OptionSpec = { flags: "--web", about: "open it on the page (refloat serve) instead" };

/** Which sessions a list has. */
export const HERE: OptionSpec = { flags: "--here", about: "of this work tree only" };
export const EVERYWHERE: OptionSpec = { flags: "--all", about: "of every workspace" };
export const EXIT_CODE: OptionSpec = {
  flags: "--exit-code",
  about: "exit 3 when one is interrupted, suspended or unsettled",
};

/** Which groups are acted on. */
export const WORDS: ArgumentSpec = {
  name: "[words...]",
  about: "the session (left out: the newest unsettled), then paths; after -- all are paths",
  isPath: true,
};
export const GROUP: OptionSpec = {
  flags: "--group <id>",
  about: "this group, whole; may be repeated",
  isRepeated: true,
};
export const SAFE: OptionSpec = { flags: "--safe", about: "every safe group of the session's own" };
export const ADOPT: OptionSpec = { flags: "--adopt", about: "take what nobody owns for the session's" };
export const LINK_DEPS: OptionSpec = {
  flags: "--link-deps",
  about: "link your dependencies into the check's clone: it can then write into them",
};

export const SESSION_ID: ArgumentSpec = {
  name: "[id]",
  about:
    "id, its first four characters or more, or a name; left out: the newest unsettled here, else the newest",
};
