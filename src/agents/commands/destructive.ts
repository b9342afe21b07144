/**
 * Commands that take away what nobody else holds: before one of them runs, the tree is captured. One table, for the precise look here and
 * for the recorder's first glance, which a shell must be able to do with a pattern (`PREFILTER`, held equal by a test). What cannot be
 * read counts as destructive: a capture too many costs a moment. Pure.
 */
import { type CommandWord, readCommands, type SimpleCommand } from "./simple-commands.ts";

export interface Destruction {
  /** As people call it. */
  readonly what: string;
  /** The folders it changed into before, as written; null: nobody can tell. */
  readonly folders: readonly string[] | null;
  /** Paths whose own work tree is in danger, which may be another than the one the command stands in. */
  readonly places: readonly string[];
  /** It deletes ignored files, too, or files that nobody can tell before it runs. */
  readonly takesIgnored: boolean;
  /** Ignored files that it writes anew, as globs. */
  readonly writesOver: readonly string[];
  /** What it takes away and no capture can hold, in words. */
  readonly beyond: readonly string[];
  /** Branches whose name goes, and with it perhaps the only way to their commits. */
  readonly branches: readonly string[];
}

const NOTHING_MORE = { places: [], takesIgnored: false, writesOver: [], beyond: [], branches: [] } as const;

interface DestructiveProgram {
  readonly programs: readonly string[];
  /**
   * Words one of which stands in every such command; none: the program alone; null: what it would run is seen itself. For the first glance.
   */
  readonly words: readonly string[] | null;
  /** `depth`: how many programs run it, one the other. */
  judge(args: readonly CommandWord[], depth: number): Omit<Destruction, "folders"> | null;
}

const textsOf = (words: readonly CommandWord[]): readonly string[] => words.map(({ text }) => text);
const has = (args: readonly CommandWord[], flag: RegExp): boolean =>
  textsOf(args).some((text) => flag.test(text));

/** What is no flag; behind `--` everything. */
function operands(args: readonly CommandWord[]): readonly CommandWord[] {
  const end = args.findIndex(({ text }) => text === "--");
  const before = end === -1 ? args : args.slice(0, end);
  return [...before.filter(({ text }) => !text.startsWith("-")), ...(end === -1 ? [] : args.slice(end + 1))];
}

const placesOf = (args: readonly CommandWord[]): readonly string[] =>
  operands(args).flatMap(({ text, isPlain }) => (isPlain ? [text] : []));

/** A pattern, a variable, or what another program hands it. */
const isUnclear = (args: readonly CommandWord[]): boolean =>
  operands(args).length === 0 || operands(args).some(({ isPlain }) => !isPlain);

/** Of what a variable or another program names nobody can tell before it runs whether it was held. */
export const UNNAMED = "all that only the shell can name";

/** A pattern is read as the shell would; a variable is not. */
const unnamedIn = (args: readonly CommandWord[]): readonly string[] =>
  operands(args).length === 0 ||
  operands(args).some(({ text, isPlain }) => !isPlain && (text.includes("$") || !/[*?[{~]/u.test(text)))
    ? [UNNAMED]
    : [];

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
            places: placesOf(args),
            takesIgnored: isUnclear(args),
            beyond: unnamedIn(args),
          },
  },
  {
    programs: ["find"],
    words: ["-delete", "-exec", "-ok"],
    judge: (args, depth) => {
      const runs = args.findIndex(({ text }) => /^-(?:exec|ok)(?:dir)?$/u.test(text));
      const run = runs === -1 ? null : destructionOf(args.slice(runs + 1), depth + 1);
      const isFound = has(args, /^-delete$/u) || run !== null;
      return isFound ? { ...NOTHING_MORE, what: "find", takesIgnored: true } : null;
    },
  },
  {
    programs: ["fd", "fdfind"],
    words: null,
    judge: (args, depth) => {
      const runs = args.findIndex(({ text }) => /^(?:-x|-X|--exec(?:-batch)?)$/u.test(text));
      const run = runs === -1 ? null : destructionOf(args.slice(runs + 1), depth + 1);
      return run === null ? null : { ...NOTHING_MORE, what: "find", takesIgnored: true };
    },
  },
  {
    programs: ["rsync"],
    words: ["--del"],
    judge: (args) =>
      has(args, /^--del/u)
        ? { ...NOTHING_MORE, what: "rsync --delete", places: placesOf(args).slice(-1) }
        : null,
  },
  {
    programs: ["mv"],
    words: [],
    judge: (args) =>
      operands(args).length < 1 || has(args, /^(?:-[a-zA-Z]*n|--no-clobber)/u)
        ? null
        : { ...NOTHING_MORE, what: "mv", places: placesOf(args).slice(-1) },
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
        ? { ...NOTHING_MORE, what: "terraform apply", writesOver: TERRAFORM_STATES }
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

/** Flags of git's own that take a word. */
const GIT_TAKES = /^(?:-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env|--super-prefix)$/u;

function gitDestruction(args: readonly CommandWord[]): Omit<Destruction, "folders"> | null {
  let at = 0;
  const places: string[] = [];
  while (args[at]?.text.startsWith("-")) {
    const { text } = args[at] ?? { text: "" };
    const next = args[at + 1];
    if (text === "-C" || text === "--work-tree") {
      // Nobody can tell where: the call's own folder is what is left.
      if (next?.isPlain) places.push(next.text);
      at += 2;
    } else at += GIT_TAKES.test(text) ? 2 : 1;
  }
  const [command, ...rest] = args.slice(at);
  const judge = command === undefined ? undefined : GIT.get(command.text);
  if (command !== undefined && !command.isPlain) return { ...NOTHING_MORE, what: "git", places };
  const found = judge?.(rest) ?? null;
  return found === null ? null : { ...NOTHING_MORE, ...found, places: [...places, ...(found.places ?? [])] };
}

type GitJudge = (rest: readonly CommandWord[]) => (Partial<Destruction> & { readonly what: string }) | null;

/** Back to where it began: what was resolved or edited since is gone. */
const aborted =
  (what: string): GitJudge =>
  (rest) =>
    has(rest, /^--abort$/u) ? { what } : null;

/** A map: any word may stand behind `git`, `constructor` too. */
const GIT: ReadonlyMap<string, GitJudge> = new Map<string, GitJudge>(
  Object.entries<GitJudge>({
    reset: (rest) => (has(rest, /^--(?:hard|merge|keep)$/u) ? { what: "git reset --hard" } : null),
    clean: (rest) =>
      has(rest, /^(?:-[a-zA-Z]*n|--dry-run)/u)
        ? null
        : { what: "git clean", takesIgnored: has(rest, /^-[a-zA-Z]*[xX]/u) },
    checkout: (rest) => {
      const makes = has(rest, /^(?:-b|--orphan)$/u) && !has(rest, /^(?:-[a-zA-Z]*f|--force|--)$/u);
      return makes || rest.length === 0 ? null : { what: "git checkout --" };
    },
    restore: (rest) => (rest.length === 0 ? null : { what: "git restore" }),
    switch: (rest) =>
      has(rest, /^(?:-[a-zA-Z]*[fC]|--force|--discard-changes|--force-create)/u)
        ? { what: "git switch -f" }
        : null,
    stash: ([word, ...rest]) =>
      word !== undefined && /^(?:list|show|create|store|branch|apply)$/u.test(word.text)
        ? null
        : {
            what: "git stash",
            takesIgnored: has([...(word ? [word] : []), ...rest], /^(?:-[a-zA-Z]*a|--all)$/u),
          },
    rebase: (rest) => (has(rest, /^--(?:show-current-patch|edit-todo)$/u) ? null : { what: "git rebase" }),
    rm: (rest) =>
      has(rest, /^(?:-[a-zA-Z]*n|--dry-run|--cached)$/u) ? null : { what: "git rm", places: placesOf(rest) },
    merge: aborted("git merge --abort"),
    am: aborted("git am --abort"),
    revert: aborted("git revert --abort"),
    "cherry-pick": aborted("git cherry-pick --abort"),
    "update-ref": (rest) => (has(rest, /^(?:-d|--stdin)$/u) ? { what: "git update-ref -d" } : null),
    gc: () => ({ what: "git gc" }),
    prune: () => ({ what: "git prune" }),
    reflog: ([word]) =>
      word?.text === "expire" || word?.text === "delete" ? { what: `git reflog ${word.text}` } : null,
    "filter-branch": () => ({ what: "git filter-branch" }),
    "filter-repo": () => ({ what: "git filter-repo" }),
    submodule: (rest) =>
      has(rest, /^deinit$/u) ? { what: "git submodule deinit", places: placesOf(rest).slice(1) } : null,
    "read-tree": (rest) => (has(rest, /^(?:-u|--reset)$/u) ? { what: "git read-tree" } : null),
    worktree: ([word, ...rest]) =>
      word?.text === "remove" || word?.text === "prune"
        ? { what: "git worktree remove", places: placesOf(rest), takesIgnored: true }
        : null,
    branch: (rest) => {
      const isForced = has(rest, /^(?:-[a-zA-Z]*[DMC]|-[a-zA-Z]*f|--force)/u);
      const isGone = has(rest, /^(?:-[a-zA-Z]*d|--delete)/u);
      return isForced || isGone ? { what: "git branch -D", branches: placesOf(rest) } : null;
    },
  }),
);

/** A program that runs one that runs one; what is deeper counts as destructive. */
const MAX_RUNS = 8;

/** Of one command's words; null: it is none. */
function destructionOf(words: readonly CommandWord[], depth = 0): Omit<Destruction, "folders"> | null {
  const [program, ...args] = words;
  if (program === undefined) return null;
  if (depth > MAX_RUNS) return { ...NOTHING_MORE, what: program.text };
  // What a variable stands for is known to nobody here.
  if (/[$`]/u.test(program.text)) return { ...NOTHING_MORE, what: program.text };
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

/** Everything in a script that may take something away; empty: nothing does. */
export function destructionsIn(script: string): readonly Destruction[] {
  const code = DELETING_CODE.find((word) => script.includes(word));
  const deleting =
    code === undefined
      ? []
      : [{ ...NOTHING_MORE, what: `a program with ${code}`, takesIgnored: true, folders: [] }];
  return [...commandsIn(script), ...deleting];
}

function commandsIn(script: string): readonly Destruction[] {
  const read = readCommands(script);
  if (read.kind === "unreadable")
    return [{ ...NOTHING_MORE, what: "a command that cannot be read", folders: [] }];
  return read.commands.flatMap(({ words, folders }: SimpleCommand) => {
    const found = destructionOf(words);
    if (found === null) return [];
    return [{ ...found, folders, ...(folders === null ? { beyond: [...found.beyond, UNNAMED] } : {}) }];
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
