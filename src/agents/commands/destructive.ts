/**
 * Commands that take away what nobody else holds: before one of them runs, the tree is captured. One table, for the precise look here and
 * for the recorder's first glance, which a shell must be able to do with a pattern (`PREFILTER`, held equal by a test). What cannot be
 * read counts as destructive: a capture too many costs a moment. Pure.
 */
import { type Destruction, type JudgedCommand, NOTHING_MORE } from "./destruction.ts";
import { gitDestruction } from "./git-destruction.ts";
import { type CommandWord, commandsOf, readCommands, type SimpleCommand } from "./simple-commands.ts";
import {
  ANYTHING,
  entered,
  has,
  operands,
  type TakenWords,
  taken,
  takenOrFed,
  together,
  UNNAMED,
  valuesOf,
} from "./taken-words.ts";

export type { Destruction } from "./destruction.ts";
export { UNNAMED } from "./taken-words.ts";

interface DestructiveProgram {
  readonly programs: readonly string[];
  /**
   * Words one of which stands in every such command; none: the program alone; null: what it would run is seen itself. For the first glance.
   */
  readonly words: readonly string[] | null;
  /** `depth`: how many programs run it, one the other. */
  judge(args: readonly CommandWord[], depth: number): JudgedCommand | null;
}

const HERE: CommandWord = { text: ".", isPlain: true, hasSubstitution: false };
const FD_RUNS = /^(?:-x|-X|--exec(?:-batch)?)$/u;
/** Flags of rsync that take a word. */
const RSYNC_TAKES =
  /^(?:-[a-zA-Z]*[efTMB@]|--(?:rsh|filter|exclude|include|exclude-from|include-from|files-from|temp-dir|backup-dir|suffix|(?:link|copy|compare)-dest|chmod|chown|port|timeout|bwlimit|log-file|max-size|min-size|max-delete|partial-dir|rsync-path|password-file|out-format))$/u;

/** Terraform's state is ignored nearly everywhere, and there once. */
const TERRAFORM_STATES = ["*.tfstate", "*.tfstate.*"];

export const DESTRUCTIVE: readonly DestructiveProgram[] = [
  {
    programs: ["rm", "unlink", "shred", "rimraf", "trash", "truncate"],
    words: [],
    judge: (args) =>
      has(args, /^--(?:help|version)$/u)
        ? null
        : {
            ...NOTHING_MORE,
            what: has(args, /^-[a-zA-Z]*[rR]|^--recursive/u) ? "rm -rf" : "rm",
            ...takenOrFed(operands(args)),
          },
  },
  {
    programs: ["find"],
    words: ["-delete", "-exec", "-ok"],
    judge: (args, depth) => {
      const first = args.findIndex(({ text }) => /^(?:-[a-z]|[!(,)])/u.test(text));
      const starts = first === -1 ? args : args.slice(0, first);
      return foundBy(args, starts, /^-(?:exec|ok)(?:dir)?$/u, depth);
    },
  },
  {
    programs: ["fd", "fdfind"],
    words: null,
    judge: (args, depth) => {
      const runs = args.findIndex(({ text }) => FD_RUNS.test(text));
      const own = runs === -1 ? args : args.slice(0, runs);
      const folders = valuesOf(
        own,
        /^--(?:search-path|base-directory)$/u,
        /^--(?:search-path|base-directory)=(.*)$/su,
      );
      return foundBy(args, [...operands(own), ...folders], FD_RUNS, depth);
    },
  },
  {
    programs: ["rsync"],
    words: ["--del"],
    judge: (args) => {
      if (!has(args, /^--del/u)) return null;
      const to = operands(args, RSYNC_TAKES).slice(-1);
      const isFar = to.some(({ text }) => /^[^/]*:/u.test(text));
      const lost = isFar ? { ...ANYTHING, beyond: to.map(({ text }) => text) } : takenOrFed(to);
      return { ...NOTHING_MORE, what: "rsync --delete", ...lost };
    },
  },
  {
    programs: ["mv"],
    words: [],
    judge: (args) =>
      operands(args).length < 1 || has(args, /^(?:-[a-zA-Z]*n|--no-clobber)/u)
        ? null
        : { ...NOTHING_MORE, what: "mv", ...takenOrFed(movedTo(args)) },
  },
  {
    programs: ["git"],
    words: [
      ...["reset", "clean", "checkout", "restore", "switch", "stash", "worktree", "branch", "rebase"],
      ...["--abort", "update-ref", "gc", "prune", "reflog", "filter-", "deinit", "read-tree"],
    ],
    judge: gitDestruction,
  },
  {
    programs: ["terraform", "tofu"],
    words: ["apply", "destroy"],
    judge: (args) =>
      has(args, /^(?:apply|destroy)$/u)
        ? {
            ...NOTHING_MORE,
            what: "terraform apply",
            ...entered(valuesOf(args, /(?!)/u, /^-chdir=(.*)$/su)),
            writesOver: TERRAFORM_STATES,
          }
        : null,
  },
  {
    programs: ["docker", "docker-compose", "podman", "podman-compose"],
    words: ["down"],
    judge: (args) => {
      if (!has(args, /^down$/u)) return null;
      if (!has(args, /^(?:-[a-z]*v|--volumes)$/u)) return { ...NOTHING_MORE, what: "docker compose down" };
      const what = "docker compose down -v";
      return { ...NOTHING_MORE, what, beyond: [`the volumes that ${what} deletes`] };
    },
  },
];

/** Where it moves to: there it may write over what is there. */
function movedTo(args: readonly CommandWord[]): readonly CommandWord[] {
  const named = valuesOf(args, /^(?:-[a-zA-Z]*t|--t[a-z-]*)$/u, /^(?:-[bfivuTZ]*t|--t[a-z-]*=)(.+)$/su);
  return named.length > 0 ? named : operands(args).slice(-1);
}

/** Below where it starts, what it finds and deletes itself, or gives to a program that does. */
function foundBy(
  args: readonly CommandWord[],
  starts: readonly CommandWord[],
  runs: RegExp,
  depth: number,
): JudgedCommand | null {
  const run: TakenWords[] = [];
  for (let at = 0; at < args.length; at += 1) {
    if (!runs.test(args[at]?.text ?? "")) continue;
    const given = givenTo(args.slice(at + 1));
    run.push(...ranBy(given, starts, depth));
    at += given.length;
  }
  if (run.length === 0 && !has(args, /^-delete$/u)) return null;
  // What it is told to follow, or to read its places from, leads anywhere.
  const isAnywhere = has(args, /^(?:-L|-[a-zA-Z]*L[a-zA-Z]*|-?-follow|-files0-from)$/u);
  const all = together(taken(starts), ...run, ...(isAnywhere ? [ANYTHING] : []));
  return { ...NOTHING_MORE, what: "find", ...all, takesIgnored: true };
}

function givenTo(words: readonly CommandWord[]): readonly CommandWord[] {
  const end = words.findIndex(
    ({ text }, at) => text === ";" || (text === "+" && words[at - 1]?.text === "{}"),
  );
  return end === -1 ? words : words.slice(0, end);
}

/** More than these in the place of more than one `{}` is nothing that anybody types. */
const MAX_STARTS = 20;

/** What it finds stands in the place of `{}`, or comes last. Empty: it takes nothing away. */
function ranBy(
  own: readonly CommandWord[],
  starts: readonly CommandWord[],
  depth: number,
): readonly TakenWords[] {
  if (depth >= MAX_RUNS || starts.length > MAX_STARTS) return [ANYTHING];
  const found = starts.length > 0 ? starts : [HERE];
  const put = own.flatMap((word) => (word.text === "{}" ? found : [word]));
  const read = commandsOf(own.some(({ text }) => /\{[^{}]*\}/u.test(text)) ? put : [...put, ...found]);
  if (read.kind === "unreadable") return [ANYTHING];
  return read.commands.flatMap(({ words: inner, folders, isFed }) => {
    const one = destructionOf(inner, depth + 1);
    if (one === null) return [];
    return [folders?.length === 0 && !isFed ? one : together(one, ANYTHING)];
  });
}

/** A program that runs one that runs one; what is deeper counts as destructive. */
const MAX_RUNS = 8;

/** Of one command's words; null: it is none. */
function destructionOf(words: readonly CommandWord[], depth = 0): JudgedCommand | null {
  const [program, ...args] = words;
  if (program === undefined) return null;
  // What a variable or a pattern stands for is known to nobody here.
  if (depth > MAX_RUNS || program.hasSubstitution || /[$`]/u.test(program.text))
    return { ...NOTHING_MORE, what: program.text, ...ANYTHING };
  const name = program.text.replace(/^.*\//u, "");
  return DESTRUCTIVE.find(({ programs }) => programs.includes(name))?.judge(args, depth) ?? null;
}

/** Words of programs in other languages that delete: in `python -c`, in a text that a program is given, wherever they stand. */
const DELETING_CODE = [
  ...[
    "rmtree",
    "os.remove",
    "os.unlink",
    "os.rmdir",
    "removedirs",
    ".unlink(",
    "rmSync",
    "unlinkSync",
    "rmdirSync",
  ],
  ...[
    "fs.rm",
    "fs.unlink",
    "FileUtils.rm",
    "rm_rf",
    "remove_tree",
    "remove_dir_all",
    "RemoveAll",
    "Remove-Item",
  ],
];

/** A text that is given to one of these as it stands names its place; whatever else, nobody can tell. */
const NAMED_BY_CODE = /^\w*\(\s*(["'])[^"'$\\`]+\1\s*[,)]/u;

/** Everything in a script that may take something away; empty: nothing does. */
export function destructionsIn(script: string): readonly Destruction[] {
  const code = DELETING_CODE.filter((word) => script.includes(word));
  const [first] = code;
  if (first === undefined) return commandsIn(script);
  const isNamed = !/chdir/u.test(script) && code.every((word) => isNamedBehind(script, word));
  const beyond = isNamed ? [] : [UNNAMED];
  const deleting = {
    ...NOTHING_MORE,
    what: `a program with ${first}`,
    takesIgnored: true,
    beyond,
    folders: [],
  };
  return [...commandsIn(script), deleting];
}

const isNamedBehind = (script: string, word: string): boolean =>
  script
    .split(word)
    .slice(1)
    .every((behind) => NAMED_BY_CODE.test(word.endsWith("(") ? `(${behind}` : behind));

/** Where git is told by its environment which repository it is. */
const MOVES_GIT = /\bGIT_(?:DIR|WORK_TREE|CONFIG\w*)=/u;

function commandsIn(script: string): readonly Destruction[] {
  const read = readCommands(script);
  if (read.kind === "unreadable")
    return [{ ...NOTHING_MORE, what: "a command that cannot be read", ...ANYTHING, folders: [] }];
  const isMoved = MOVES_GIT.test(script);
  return read.commands.flatMap(({ words, folders, isFed }: SimpleCommand) => {
    const found = destructionOf(words);
    if (found === null) return [];
    const isOpen = folders === null || isFed || isMoved;
    return [{ ...found, ...(isOpen ? together(found, ANYTHING) : {}), folders }];
  });
}

/**
 * The recorder's first glance, as patterns of a shell's `case` over the payload's JSON. A short name must be a word of its own, which in JSON
 * may also stand behind an escaped line feed or another escape (`\n`, `\u0026`); where a second word is needed, both anywhere will do.
 */
export function prefilterPatterns(): readonly string[] {
  const edges = ["[!A-Za-z0-9_.-]", "\\\\[ntr]", "\\\\u00??"];
  const commands = DESTRUCTIVE.flatMap(({ programs, words }) =>
    (words === null ? [] : programs).flatMap((program) =>
      words === null || words.length === 0
        ? edges.map((edge) => `*${edge}${program}[!A-Za-z0-9_.-]*`)
        : words.map((word) => `*${program}*${word}*`),
    ),
  );
  return [...commands, ...DELETING_CODE.map((word) => `*${word.replaceAll("(", "\\(")}*`)];
}
