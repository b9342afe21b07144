/** The commands about what agents wrote of themselves. */
import type { CommandSpec } from "../../context/command-spec.ts";
import type { ArgumentSpec, OptionSpec } from "../../grammar/command-grammar.ts";

const FILE: ArgumentSpec = {
  name: "<file>",
  about: "the file in which an agent keeps a session",
  isPath: true,
};
const AGENT: OptionSpec = { flags: "--agent <name>", about: "whose it is; left out: told by its content" };

export const TRANSCRIPT_SPECS: readonly CommandSpec[] = [
  {
    words: "transcript check",
    group: "Store",
    summary: "where an agent's own file stands; exit 5 on damage",
    about:
      "Reads the file an agent keeps of a session, and changes nothing: how the session ended, its calls, and every damaged place with its line and byte. `live` is said only where the agent's own mark proves that its process lives.",
    args: [FILE],
    options: [AGENT],
    examples: [["refloat transcript check session.jsonl", ""]],
    load: () => import("./check.ts"),
  },
  {
    words: "transcript repair",
    group: "Store",
    summary: "a copy of it without the damage; the original stays",
    about:
      "Writes a copy beside the file and says where; nothing is written over. Every whole record stands on a line of its own there; fragments and NULs are gone; a record whose parent is missing hangs below the one before it. Records that are doubled, too long or missing stay as they are, and are named.",
    args: [FILE],
    options: [AGENT],
    examples: [["refloat transcript repair session.jsonl", "writes session.jsonl.repaired"]],
    load: () => import("./repair.ts"),
  },
];
