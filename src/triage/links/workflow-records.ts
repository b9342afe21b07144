/**
 * A workflow's own records: the state file, the handoff beside it, the ring of older versions. They tell of the work and are
 * no part of it: no policy takes them out of the tree (that would set the workflow back), and they are committed with what
 * they tell of or left. Known by their schema; a state file that is damaged or gone still by what it was, or by its name. Pure.
 */
import { HANDOFF_FILE, STATE_FILE } from "../../model/workflow-state.ts";
import { folderOfPath, nameOfPath } from "../facts/manifests/manifest-kinds.ts";
import type { GroupMember } from "../facts/member.ts";
import type { Link } from "./group-links.ts";

/** By this name alone, whatever is left of its content. */
const USUAL_NAME = new RegExp(
  `^(.*)${STATE_FILE.replace(".", "\\.")}(?:\\.bak(?:\\.\\d)?|\\.corrupt(?:-.*)?)?$`,
);

/** The workflow a change is a record of: its folder and the beginning of its names. Null: it is no record. */
export function workflowOf({ path, before, after }: GroupMember): string | null {
  const name = nameOfPath(path);
  const usual = USUAL_NAME.exec(name);
  if (usual) return `${folderOfPath(path)}/${usual[1]}`;
  const kind = after?.workflow?.kind ?? before?.workflow?.kind;
  if (kind === undefined) return null;
  const at = name.indexOf(HANDOFF_FILE);
  return `${folderOfPath(path)}/${at === -1 ? "" : name.slice(0, at)}`;
}

/** Damaged bytes that were put aside: nobody knows whether they are wanted, and the others do not wait for that. */
const PUT_ASIDE = /\.corrupt(?:-[^/]*)?$/;

/** State, companion and ring say one thing: kept or dropped together (S4). */
export function recordLinks(members: readonly GroupMember[]): Link[] {
  const first = new Map<string, GroupMember>();
  return members.flatMap((member): Link[] => {
    const workflow = workflowOf(member);
    if (workflow === null || PUT_ASIDE.test(member.path)) return [];
    const known = first.get(workflow);
    if (known) return [[known, member]];
    first.set(workflow, member);
    return [];
  });
}
