/** A change as the contract has it (DESIGN 10). */
import { type PathName, pathJson } from "../../../model/path-name.ts";
import type { PathState } from "../../../model/path-state.ts";
import type { Change } from "../../../workspace/compare/states.ts";
import type { ChangeOwner } from "../../../workspace/owning/own.ts";

export function changeJson(change: Change, owner: ChangeOwner | null): Record<string, unknown> {
  const { path, kind, from, to, fromPath, members } = change;
  return {
    ...pathJson(path),
    kind,
    from: stateJson(from, fromPath),
    to: stateJson(to),
    owner: owner?.owner ?? null,
    ...(owner?.ownerSession ? { owner_session: owner.ownerSession } : {}),
    owner_evidence: owner?.evidence ?? [],
    ...(members.length > 0 ? { members: members.map((member) => changeJson(member, null)) } : {}),
  };
}

function stateJson(state: PathState, path?: PathName): Record<string, unknown> | null {
  if (state === null) return null;
  return { ...state, ...(path === undefined ? {} : pathJson(path)) };
}
