/**
 * Which sessions may be found by somebody who is to work on one repository alone (T2): those of its work trees, those of it whose own
 * place is no more, and his own. Of others it is not even told that they are there.
 */
import { existsSync } from "node:fs";
import type { SessionRow } from "../../store/contract/driver.ts";
import { workspaceIn } from "../../store/contract/session-facts.ts";
import { markedSession } from "../../workspace/sessions/capture-session.ts";
import type { AppPlace } from "../place/app-place.ts";
import { scopeOf } from "../place/scope.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { sessionsInScope } from "./sessions-in-scope.ts";

type Found = (rows: readonly SessionRow[]) => Promise<readonly SessionRow[]>;

export function confinedTo(at: AppPlace, store: RefloatStore): Found {
  const scope = scopeOf(at.place(), "repository");
  const isOfATree = (row: SessionRow): boolean => {
    const place = workspaceIn(row);
    // Where it was begun in a folder of a work tree, that tree is meant.
    return place !== "" && existsSync(place) && scope.places.includes(scopeOf(place, "here").workspace ?? "");
  };
  return async (rows) => {
    if (rows.length === 0) return rows;
    const mark = markedSession(at.env);
    const known = rows.filter((row) => row.id === mark || isOfATree(row));
    if (known.length === rows.length) return rows;
    const listed = new Set((await sessionsInScope(at, store, scope)).map(({ id }) => id));
    return rows.filter((row) => known.includes(row) || listed.has(row.id));
  };
}
