/** What would settle a group that only wants a check of the user's, in the sentence that says what is missing: the project's own, by name. */
import type { PathName } from "../../model/path-name.ts";
import type { HeadTree } from "../facts/known/triage-facts.ts";
import type { HeadSources } from "../links/references/tree.ts";
import { ruleOf } from "../rules/table.ts";
import type { Group, Reason } from "./group.ts";
import { type ProjectFiles, proposedCheck } from "./proposed-check.ts";

/** Groups as they are judged: a reason with a `check` is completed, all others stay. */
export async function withProposals(
  groups: readonly Group[],
  head: HeadTree,
  { paths }: Pick<HeadSources, "paths">,
): Promise<Group[]> {
  const texts = new Map<string, Promise<string>>();
  const files: ProjectFiles = {
    paths,
    textAt(path) {
      const text = texts.get(path) ?? textOf(head, path);
      texts.set(path, text);
      return text;
    },
  };
  const found: Group[] = [];
  for (const group of groups) found.push(await withProposal(group, files));
  return found;
}

const textOf = async (head: HeadTree, path: string): Promise<string> =>
  Buffer.from((await head.read(path as PathName)) ?? []).toString("utf8");

async function withProposal(group: Group, files: ProjectFiles): Promise<Group> {
  if (!group.reasons.some(({ check }) => check !== undefined)) return group;
  const check = await proposedCheck(
    files,
    group.changes.map(({ change }) => change.path),
  );
  const said = (message: string): string =>
    check === null
      ? `${message} A check of yours would tell: \`--verify 'COMMAND'\`.`
      : `${message.replace(/\.$/, "")}; \`--verify '${check}'\` would decide.`;
  const completed = (reason: Reason): Reason => {
    if (reason.check === undefined) return reason;
    // Whoever shows a quotation cuts it: nothing is put into its sentence (T4).
    if (ruleOf(reason).isQuoting) return { ...reason, check };
    // The check is what would settle it: nothing else is proposed beside it.
    const { remedy: _, ...rest } = reason;
    return { ...rest, check, message: said(reason.message) };
  };
  return { ...group, reasons: group.reasons.map(completed) };
}
