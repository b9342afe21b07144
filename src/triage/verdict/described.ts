/** What a workflow's record tells of, with the verdicts of those groups: it is committed with them, or left. Pure. */
import { isWithin, type PathName } from "../../model/path-name.ts";
import type { ChangeFact } from "../facts/known/triage-facts.ts";
import { folderOfPath } from "../facts/manifests/manifest-kinds.ts";
import type { GroupMember } from "../facts/member.ts";
import { workflowOf } from "../links/workflow-records.ts";
import type { DescribedChange } from "../rules/evidence/group-view.ts";
import type { Group } from "./group.ts";

export function describedBy(records: readonly GroupMember[], groups: readonly Group[]): DescribedChange[] {
  const owner = records.find((member) => workflowOf(member) !== null)?.fact.owner;
  const named = records.flatMap(({ path, after }) =>
    (after?.workflow?.artifacts ?? []).flatMap((artifact) => placesOf(path, artifact)),
  );
  const places = new Set(named);
  if (places.size === 0) return [];
  const isOwn = ({ owner: one }: ChangeFact): boolean =>
    one.owner === owner?.owner && one.ownerSession === owner.ownerSession;
  return groups.flatMap(({ id, verdict, changes }) =>
    changes
      .filter(({ change }) => [...places].some((place) => isWithin(change.path, place)))
      .map((fact) => ({
        path: fact.change.path,
        group: id,
        verdict,
        isReady: isOwn(fact) ? verdict === "safe" : fact.change.from !== null && fact.change.to !== null,
      })),
  );
}

/** Named relative to the file's folder or to one above it; a pattern is not looked up. */
function placesOf(record: PathName, artifact: string): PathName[] {
  const plain = artifact.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
  if (plain === "" || plain === "." || /[*{]/.test(plain) || plain.startsWith("/")) return [];
  const folders = folderOfPath(record)
    .split("/")
    .filter((part) => part !== "");
  return folders
    .map((_, at) => [...folders.slice(0, folders.length - at), plain].join("/"))
    .concat(plain)
    .map((path) => path as PathName);
}
