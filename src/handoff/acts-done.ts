/**
 * What was done to the tree about a session's work and still stands, oldest first: what was committed, parked and discarded, each with
 * the command that has it back. What was taken back, or brought back, is not told again (T6). Pure, but for the plans' journal.
 */

import { groupsOf, type History, historyOf } from "../acts/plans/history.ts";
import { parkedIn } from "../acts/plans/parked.ts";
import { type Plan, plansOf } from "../acts/plans/plans.ts";
import { isJsonObject } from "../model/json.ts";
import type { Store } from "../store/store.ts";
import { count } from "../text/counting.ts";
import { cutToBytes } from "../text/cut-to-bytes.ts";
import { shellLineWord } from "../text/escape.ts";
import { typedPath } from "../text/fence.ts";
import type { Workspace } from "../workspace/opening/workspace.ts";
import type { BriefDone } from "./brief-facts.ts";

/** Plans told of, the newest; `undo` goes back further. */
const MAX_PLANS = 5;
/** Plans looked through for those of this session. */
const MAX_PLANS_READ = 50;
/** Parked groups of one plan named one by one; `parked` lists all. */
const MAX_PARKED = 8;
/** Of the names of what an act was about: the command after them is not to be cut. */
const PATHS_BYTES = 100;
const MAX_PATHS = 3;
/** Of a commit's id, as everywhere on screens. */
const SHOWN_ID_CHARS = 12;

/** `session`: null: what was done without one. `typed`: commands as they can be typed where this is printed. */
export async function actsDone(
  store: Store,
  workspace: Workspace,
  session: string | null,
  typed: (text: string) => string,
): Promise<BriefDone[]> {
  const plans: Plan[] = [];
  for await (const plan of plansOf(store, workspace)) {
    if (plans.length >= MAX_PLANS_READ) break;
    plans.push(plan);
  }
  const history = historyOf(plans);
  const own = history.standing.filter((plan) => plan.session === session).slice(0, MAX_PLANS);
  return own.reverse().flatMap((plan) => planDone(plan, history, typed));
}

export function planDone(plan: Plan, history: History, typed: (text: string) => string): BriefDone[] {
  const groups = [...groupsOf(plan)];
  const by = (act: string): string[] => groups.filter((group) => actOf(plan, group) === act);
  const at = new Date(plan.atMs).toISOString();
  const undo = typed(`refloat undo --plan ${shellLineWord(plan.id)}`);
  const said = (act: string, text: string, command: string, more: Partial<BriefDone> = {}): BriefDone => ({
    ...{ at, act, command, ...more },
    text: `${text}: ${act === "park" ? "back" : "undo"} with ${command}`,
  });
  const { commit } = plan.data;
  const committed = typeof commit === "string" ? by("commit") : [];
  const discarded = by("discard");
  const parked = parkedDone(plan, history, by("park"), (text, command, name) =>
    said("park", text, typed(command), name === null ? {} : { parked: name }),
  );
  const told = [
    ...(committed.length > 0
      ? [
          said(
            "commit",
            `committed ${pathsText(plan, committed)} as ${String(commit).slice(0, SHOWN_ID_CHARS)}`,
            undo,
            {
              commit: String(commit),
            },
          ),
        ]
      : []),
    ...parked,
    ...(discarded.length > 0 ? [said("discard", `discarded ${pathsText(plan, discarded)}`, undo)] : []),
  ];
  if (told.length > 0 || by("park").length > 0) return told;
  return [said(plan.act, `${plan.act} of ${pathsText(plan, groups)}`, undo)];
}

/** Those that are still parked: of what was brought back the act that did is told. */
function parkedDone(
  plan: Plan,
  history: History,
  groups: readonly string[],
  said: (text: string, command: string, name: string | null) => BriefDone,
): BriefDone[] {
  const still = parkedIn(history).filter((one) => one.plan === plan.id && groups.includes(one.name));
  const more = still.length - MAX_PARKED;
  return [
    ...still
      .slice(0, MAX_PARKED)
      .map(({ name }) =>
        said(`parked ${pathsText(plan, [name])}`, `refloat unpark ${shellLineWord(name)}`, name),
      ),
    ...(more > 0 ? [said(`parked ${count(more, "more group")}`, "refloat parked", null)] : []),
  ];
}

/** What became of one of its groups; a plan of one act has no table of them. */
function actOf({ act, data }: Plan, group: string): string {
  const found = isJsonObject(data.acts) ? data.acts[group] : undefined;
  return typeof found === "string" ? found : act;
}

function pathsText({ puts, index }: Plan, groups: readonly string[]): string {
  const paths = [...puts.filter(({ ignored }) => !ignored), ...index]
    .filter(({ group }) => groups.includes(group))
    .map(({ path }) => path);
  const all = [...new Set(paths)];
  const names = all.slice(0, MAX_PATHS).map(typedPath).join(", ");
  const shown = Buffer.byteLength(names) > PATHS_BYTES ? `${cutToBytes(names, PATHS_BYTES)}…` : names;
  const more = all.length - MAX_PATHS;
  return `${count(all.length, "path")}${shown === "" ? "" : ` (${shown}${more > 0 ? ` and ${more} more` : ""})`}`;
}
