/** The commands about what agents wrote of themselves. */
import type { CommandSpec } from "../../context/command-spec.ts";
import type { ArgumentSpec, OptionSpec } from "../../grammar/command-grammar.ts";
import { SESSION_ID as ID } from "../../grammar/spec-parts.ts";

const FILE: ArgumentSpec = {
  name: "<file>",
  about: "the file in which an agent keeps a session",
  isPath: true,
};
const AGENT: OptionSpec = { flags: "--agent <name>", about: "whose it is; left out: told by its content" };

/** Among what puts back, not among the family's own. */
export const REBUILD_SPEC: CommandSpec = {
  words: "rebuild",
  group: "Workspace",
  summary: "files from an agent's transcript alone",
  about:
    "For a tree that is gone and that no capture holds: repeats the writes and edits of the agent's own transcript, with what it read, into a new or empty folder. Each file is exact (its bytes are known, and nothing the transcript tells of can have changed them since), partial (with why), or contradicted (two calls say different things of it), with the calls that show it. What no transcript tells (an editor, a hook, a formatter) nobody can know. A file that is not known whole is listed and not written. Files outside of the agent's folder come to _outside/. Exit 1 when there is nothing to rebuild.",
  args: [
    {
      name: "[id]",
      about:
        "a session; left out: the newest unsettled here. With --file, of a database: the agent's own id of it",
    },
  ],
  options: [
    { flags: "--to <dir>", about: "where to: a folder that is not there yet, or an empty one", isPath: true },
    { flags: "--file <transcript>", about: "read this file instead, wherever it lies", isPath: true },
    { flags: "--at <call>", about: "as of the end of this call; what came later does not count" },
    AGENT,
    { flags: "--dry-run", about: "list the files, write nothing" },
  ],
  examples: [
    ["refloat rebuild --to ../rebuilt --dry-run", "what would come back of the newest session here"],
    ["refloat rebuild --file session.jsonl --to rebuilt", "its folder does not even have to be there"],
    ["refloat rebuild 7k2m --at toolu_01 --to before", "as it was when that call had ended"],
  ],
  load: () => import("./rebuild.ts"),
};

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
  {
    words: "transcript restore",
    group: "Store",
    summary: "an agent's file as it was when its session ended",
    about:
      "When a session ends or is recovered, its agent's own file is kept in the store, compressed, for 90 days and 2 GB in all (`limits.transcript_days` and `limits.transcript_bytes` of your own config; `store gc` drops what is more). Written byte for byte, and nothing is written over. Secrets in it are left in: the file is yours only. Without --to: what is kept of the session.",
    args: [ID],
    options: [
      { flags: "--to <file>", about: "write it there; nothing may have that name", isPath: true },
      {
        flags: "--native <id>",
        about: "the agent's own id of it; left out: the newest that is no subagent's",
      },
    ],
    examples: [
      ["refloat transcript restore 7k2m", "what is kept"],
      ["refloat transcript restore 7k2m --to session.jsonl", ""],
    ],
    load: () => import("./restore.ts"),
  },
];
