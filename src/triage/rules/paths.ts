/** Rules about what kind of thing a path is, whatever stands in it. */
import type { HookSources } from "../facts/manifests/hook-sources.ts";
import { nameOfPath } from "../facts/manifests/manifest-kinds.ts";
import type { GroupMember } from "../facts/member.ts";
import type { PathClasses } from "../facts/paths/path-classes.ts";
import { CONFIG_GLOBS, JUDGE_GLOBS } from "../facts/paths/path-rules.ts";
import { aboutEach, found, naming, type Rule, type RuleFinding } from "./rule.ts";

export const judgeChangedRule = {
  slug: "judge-changed",
  weight: "risky",
  remedy: "Read it yourself: what it changes judges everything else.",
  about: "The group changes what judges it: refloat.json, a hook, or the script of the user's check.",
  detail:
    "Also the folder of core.hooksPath and what `verify` runs. Rules are always taken from before the session (T2).",
  globs: JUDGE_GLOBS,
  check: (view) =>
    aboutEach(
      view,
      ({ path }) => (view.classes.isJudge(path) ? path : null),
      (count, first) => `${naming(count, first, "decides", "decide")} what counts as sound, and changed.`,
    ),
} as const satisfies Rule;

export const typeChangeRule = {
  slug: "type-change",
  weight: "risky",
  remedy: "Keep it only if you meant it.",
  about:
    "A path is another kind of thing than before (file, symlink, directory, submodule), or a submodule is at another commit.",
  check: (view) => [
    ...aboutEach(
      view,
      ({ path, change: { from, to, members } }) => {
        if (!from || !to || from.kind === to.kind) return null;
        const inside =
          members.length > 0
            ? ` with ${members.length} ${members.length === 1 ? "path" : "paths"} in it`
            : "";
        return `${path}: ${from.kind} became ${to.kind}${inside}`;
      },
      (count, first) => `${naming(count, first)} became another kind of thing.`,
    ),
    ...aboutEach(
      view,
      ({ path, change: { from, to } }) =>
        from?.kind === "submodule" && to?.kind === "submodule" ? `${path}: a submodule` : null,
      (count, first) =>
        `${naming(count, first, "is a submodule", "are submodules")} at another commit than HEAD names.`,
    ),
  ],
} as const satisfies Rule;

const EXECUTABLE = 0o111;

const runs = ({ mode }: { readonly mode: number }): boolean => (mode & EXECUTABLE) !== 0;

const isOnlyRead = (path: string, { isJournal, isRecord }: PathClasses): boolean =>
  isJournal(path) || isRecord(path);

export const modeChangeRule = {
  slug: "mode-change",
  weight: "risky",
  remedy: "Keep it only if you meant it; chmod takes it back.",
  about: "A file became executable, or no longer is; or a new one is, among journals or records.",
  check: (view) => [
    ...aboutEach(
      view,
      ({ path, change: { from, to } }) => {
        if (from?.kind !== "file" || to?.kind !== "file") return null;
        return runs(from) === runs(to)
          ? null
          : `${path}: ${from.mode.toString(8)} became ${to.mode.toString(8)}`;
      },
      (count, first) => `Whether ${naming(count, first)} may be run as a program changed.`,
    ),
    // Elsewhere a new program is work like any other; what is only read is never one.
    ...aboutEach(
      view,
      ({ path, change: { from, to } }) =>
        from === null && to?.kind === "file" && runs(to) && isOnlyRead(path, view.classes)
          ? `${path}: ${to.mode.toString(8)}`
          : null,
      (count, first) => `${naming(count, first, "is", "are")} new and executable, where text is kept.`,
    ),
  ],
} as const satisfies Rule;

/** Of these only what runs code is configuration; versions are judged by downgrade, lockfile and parse. */
const RUNNING_MANIFESTS: ReadonlySet<string> = new Set(["package.json", "pyproject.toml", "Cargo.toml"]);

export const configRule = {
  slug: "config",
  weight: "risky",
  remedy: "Read it: it decides what runs on your machine.",
  about: "Configuration of build, CI, hooks, containers, editors or agents changed.",
  detail:
    "Of package.json, pyproject.toml and Cargo.toml only what runs code counts: scripts, hooks, build, tools. Of .pre-commit-config.yaml a hook that another repository gives, or that is gone, is named.",
  globs: CONFIG_GLOBS,
  check: (view) => [
    // What changed, where that can be said, before that something did.
    ...view.members.flatMap(hooksChanged),
    ...aboutEach(
      view,
      (member) => configuredBy(member, view.classes),
      (count, first) =>
        `${naming(count, first, "configures", "configure")} how things are built, checked or run.`,
    ),
  ],
} as const satisfies Rule;

function hooksChanged(member: GroupMember): RuleFinding[] {
  const changed = changedHooks(member.before?.hooks ?? null, member.after?.hooks ?? null);
  const [first] = changed;
  if (!first) return [];
  const more = changed.length > 1 ? `, and ${changed.length - 1} more of its hooks changed` : "";
  return [found(`${member.path} ${first}${more}.`, [member], changed)];
}

/** One sentence's end each: hooks that another repository gives now, and hooks that are gone. */
function changedHooks(before: HookSources | null, after: HookSources | null): string[] {
  if (!before || !after) return [];
  return Object.entries(before).flatMap(([id, was]) => {
    const is = after[id];
    if (is === undefined) return [`no longer runs the hook ${id} of ${was}`];
    return repositoryOf(is) === repositoryOf(was)
      ? []
      : [`takes the hook ${id} from ${is}, no longer from ${was}`];
  });
}

const repositoryOf = (source: string): string => source.split(" (")[0] ?? source;

function configuredBy({ path, before, after, change }: GroupMember, classes: PathClasses): string | null {
  if (RUNNING_MANIFESTS.has(nameOfPath(path))) {
    const [was, is] = [before?.running ?? null, after?.running ?? null];
    if (change.from === null || was === is) return null;
    return `${path}: what it runs changed`;
  }
  return classes.isConfig(path) ? path : null;
}

export const binaryRule = {
  slug: "binary",
  weight: "risky",
  remedy: "Open it: nothing here can look into it.",
  about: "A binary file was replaced, or a text became one.",
  check: (view) =>
    aboutEach(
      view,
      ({ path, before, after }) =>
        before && after && (before.isBinary || after.isBinary)
          ? `${path}: ${before.size} bytes became ${after.size}`
          : null,
      (count, first) => `${naming(count, first, "is binary and was", "are binary and were")} replaced.`,
    ),
} as const satisfies Rule;

/** A tracked file the user told git not to look at: no status shows that it changed, and no commit of git's own takes it. */
export const hiddenFromGitRule = {
  slug: "hidden-from-git",
  weight: "note",
  voids: "all",
  about: "Git was told not to look at the file, so it does not show or commit that it changed.",
  detail:
    "skip-worktree and assume-unchanged; a sparse checkout's own marks are none. No evidence makes it safe: it is acted on when you name it.",
  check: ({ members }) => {
    const hidden = members.filter(({ fact }) => fact.hiddenBy !== undefined);
    const [first] = hidden;
    if (!first) return [];
    const message = `Git is told not to look at ${naming(hidden.length, first.path)}: name the group to act on it.`;
    return [
      found(
        message,
        hidden,
        hidden.map(({ path, fact }) => `${path}: ${fact.hiddenBy}`),
      ),
    ];
  },
} as const satisfies Rule;
