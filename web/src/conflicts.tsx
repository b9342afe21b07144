/** Files that are not as a plan expects: what is there, what was expected, and how one goes on. */
import type { ToldConflict } from "../../src/app/acts/told-act.ts";
import type { PathState } from "../../src/model/path-state.ts";
import { Notice } from "./parts.tsx";
import { bytes, count, shown, shownLine } from "./words.ts";

export function Conflicts({ conflicts }: { readonly conflicts: readonly ToldConflict[] }) {
  if (conflicts.length === 0) return null;
  return (
    <Notice tone="bad" title={`${count(conflicts.length, "conflict")}: left as it is`}>
      <p>
        Somebody changed these since. Your bytes are never overwritten: the whole group of each stays as it
        is, and all other groups go on.
      </p>
      <ul class="paths conflicts">
        {conflicts.slice(0, MAX_SHOWN).map((one) => (
          <li key={`${one.group} ${one.path}`}>
            <span class="path">{shown(one.path)}</span> <span class="why">{conflictWords(one)}</span>
          </li>
        ))}
        {conflicts.length > MAX_SHOWN ? <li class="dim">and {conflicts.length - MAX_SHOWN} more</li> : null}
      </ul>
      <p>
        To go on, keep what is there now and leave this be; or commit or move it away first, and ask for the
        plan again.
      </p>
    </Notice>
  );
}

const MAX_SHOWN = 20;

const KINDS = { file: "a file", symlink: "a link", directory: "a folder", submodule: "a submodule" } as const;

/** In the words of somebody who wonders what happened to his file. Pure. */
export function conflictWords({ expected, found, why }: Omit<ToldConflict, "path" | "group">): string {
  if (why !== null) return shownLine(why);
  if (expected === null) return `Nothing was to be there, and now there is ${thing(found)}.`;
  if (found === null) return `${capital(thing(expected))} was to be there, and it is gone.`;
  if (expected.kind !== found.kind) return `It was ${thing(expected)}, and is ${thing(found)} now.`;
  if (expected.hash === found.hash && expected.target === found.target)
    return `Its permissions are others: ${mode(expected)} then, ${mode(found)} now.`;
  return `It has other bytes by now: ${bytes(expected.size)} then, ${bytes(found.size)} now.`;
}

const thing = (state: PathState): string => (state === null ? "nothing" : KINDS[state.kind]);
const mode = (state: NonNullable<PathState>): string => state.mode.toString(8);
const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
