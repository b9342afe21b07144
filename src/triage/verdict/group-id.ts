/** Stable ids of groups: the same paths in the same states, of the same owner, have the same id (DESIGN 10). */
import { createHash } from "node:crypto";
import { stateKey } from "../../model/path-state.ts";
import type { ChangeFact } from "../facts/known/triage-facts.ts";

/** 48 bits: a manifest has at most thousands of groups, and people type a few letters of it. */
const ID_CHARS = 12;

export function groupId(changes: readonly ChangeFact[]): string {
  const hash = createHash("sha256");
  const rows = changes.map(({ change, owner }) =>
    JSON.stringify([
      owner.owner,
      owner.ownerSession,
      change.path,
      change.kind,
      change.fromPath ?? null,
      stateKey(change.to),
      change.members.map((member) => [member.path, member.kind, stateKey(member.to)]),
    ]),
  );
  for (const row of rows.sort()) hash.update(`${row}\n`);
  return `g${hash.digest("hex").slice(0, ID_CHARS)}`;
}
