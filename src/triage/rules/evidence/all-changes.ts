/** What every group's rules ask about all changes: looked up once, however many groups there are. Pure. */
import { pathsOf } from "../../../workspace/compare/states.ts";
import type { OverrideFact, TriageFacts } from "../../facts/known/triage-facts.ts";
import { type RecurringWriter, recurringWriters } from "./recurring-writers.ts";

export interface AllChanges {
  /** Every path that changed, and every folder above one. */
  readonly changed: ReadonlySet<string>;
  readonly writers: ReadonlyMap<string, RecurringWriter>;
  /** The user's last word, by `overrideKey`. */
  readonly overrides: ReadonlyMap<string, OverrideFact>;
}

export function allChanges(facts: TriageFacts): AllChanges {
  return {
    changed: changedIn(facts),
    writers: new Map(recurringWriters(facts.sightings).map((writer) => [writer.path, writer])),
    overrides: new Map(facts.overrides.map((one) => [overrideKey(one.path, one.stateKey), one])),
  };
}

/** A user's word is about one content at one path. */
export const overrideKey = (path: string, stateKey: string): string => `${path}\0${stateKey}`;

function changedIn({ changes }: TriageFacts): Set<string> {
  const found = new Set<string>();
  for (const { change } of changes)
    for (const path of pathsOf(change))
      for (let at = path.length; at > 0; at = path.lastIndexOf("/", at - 1)) {
        const above = path.slice(0, at);
        if (found.has(above)) break;
        found.add(above);
      }
  return found;
}
