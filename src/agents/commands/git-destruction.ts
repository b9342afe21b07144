/** Of git's commands those that take away what nobody else holds. Pure. */
import { type Destruction, type JudgedCommand, NOTHING_MORE } from "./destruction.ts";
import type { CommandWord } from "./simple-commands.ts";
import {
  ANYTHING,
  entered,
  has,
  NOTHING_NAMED,
  operands,
  type TakenWords,
  taken,
  takenOrFed,
  together,
  valuesOf,
} from "./taken-words.ts";

/** Flags of git's own that take a word. */
const GIT_TAKES = /^(?:-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env|--super-prefix|-C)$/u;

/** The folder it is sent to, and what else says which work tree it is about. */
function sentTo(flags: readonly CommandWord[]): { readonly within: string; readonly sent: TakenWords } {
  const folders = valuesOf(flags, /^-C$/u, /(?!)/u);
  const within = folders.reduce((at, { text, isPlain }) => (isPlain ? inFolder(at, text) : at), "");
  const trees = valuesOf(flags, /^--(?:work-tree|git-dir)$/u, /^--(?:work-tree|git-dir)=(.*)$/su);
  const places = [
    ...(within === "" ? [] : [within]),
    ...trees.flatMap(({ text, isPlain }) => (isPlain ? [inFolder(within, text)] : [])),
  ];
  return { within, sent: { ...entered([...folders, ...trees]), places } };
}

const inFolder = (folder: string, path: string): string =>
  folder === "" || path.startsWith("/") ? path : `${folder}/${path}`;

export function gitDestruction(args: readonly CommandWord[]): JudgedCommand | null {
  let at = 0;
  while (args[at]?.text.startsWith("-")) at += GIT_TAKES.test(args[at]?.text ?? "") ? 2 : 1;
  const { within, sent } = sentTo(args.slice(0, at));
  const [command, ...rest] = args.slice(at);
  if (command === undefined) return null;
  if (!command.isPlain) return { ...NOTHING_MORE, what: "git", ...together(sent, ANYTHING) };
  const found = GIT.get(command.text)?.(rest) ?? null;
  if (found === null) return null;
  const own = { ...NOTHING_MORE, ...found };
  const places = own.places.map((place) => inFolder(within, place));
  return { ...own, ...together(sent, { ...own, places }) };
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
      has(rest, /^(?:-[a-zA-Z]*n|--dry-run|--cached)$/u)
        ? null
        : { what: "git rm", ...takenOrFed(operands(rest)) },
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
      has(rest, /^deinit$/u) ? { what: "git submodule deinit", ...taken(operands(rest).slice(1)) } : null,
    "read-tree": (rest) => (has(rest, /^(?:-u|--reset)$/u) ? { what: "git read-tree" } : null),
    worktree: ([word, ...rest]) => {
      const gone = word?.text === "prune" ? NOTHING_NAMED : takenOrFed(operands(rest));
      return word?.text === "remove" || word?.text === "prune"
        ? { what: "git worktree remove", ...gone, takesIgnored: true }
        : null;
    },
    branch: (rest) => {
      const isForced = has(rest, /^(?:-[a-zA-Z]*[DMC]|-[a-zA-Z]*f|--force)/u);
      const isGone = has(rest, /^(?:-[a-zA-Z]*d|--delete)/u);
      const { places: branches, beyond } = takenOrFed(operands(rest));
      return isForced || isGone ? { what: "git branch -D", branches, beyond } : null;
    },
  }),
);
