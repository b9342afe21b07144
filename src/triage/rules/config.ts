import { changedHooks } from "../facts/manifests/hook-sources.ts";
import { nameOfPath } from "../facts/manifests/manifest-kinds.ts";
import type { GroupMember } from "../facts/member.ts";
import type { PathClasses } from "../facts/paths/path-classes.ts";
import { CONFIG_GLOBS } from "../facts/paths/path-rules.ts";
import { aboutEach, found, naming, type Rule, type RuleFinding } from "./rule.ts";

/** Of these only what runs code is configuration; versions are judged by downgrade, lockfile and parse. */
const MANIFESTS: ReadonlySet<string> = new Set(["package.json", "pyproject.toml", "Cargo.toml"]);

export const configRule = {
  slug: "config",
  weight: "risky",
  about: "Configuration of build, CI, hooks, containers, editors or agents changed.",
  detail:
    "Of package.json, pyproject.toml and Cargo.toml only what runs code counts: scripts, hooks, build, tools. Of .pre-commit-config.yaml a hook that another repository gives, or that is gone, is named.",
  globs: CONFIG_GLOBS,
  check: (view) => [
    // What changed, where that can be said, before that something did.
    ...view.members.flatMap(hooksChanged),
    ...aboutEach(
      view,
      (member) => evidenceOf(member, view.classes),
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

function evidenceOf({ path, before, after, change }: GroupMember, classes: PathClasses): string | null {
  if (MANIFESTS.has(nameOfPath(path))) {
    const [was, is] = [before?.running ?? null, after?.running ?? null];
    if (change.from === null || was === is) return null;
    return `${path}: what it runs changed`;
  }
  return classes.isConfig(path) ? path : null;
}
