/**
 * What stays when our entries are gone (the store with its sessions and captures, the inbox), and `--purge`, which removes that, too. Only
 * what is known to be ours by its name goes: the folder may be one the user keeps other things in. Never while a session is live, and never
 * unsettled or parked work without the user's second word (S6, W8). A store on a server is not touched.
 */
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { ACTS_PREFIX } from "../../acts/plans/acts-session.ts";
import { historyOf } from "../../acts/plans/history.ts";
import { parkedIn } from "../../acts/plans/parked.ts";
import { type Plan, plansOf } from "../../acts/plans/plans.ts";
import { RefloatError } from "../../model/errors.ts";
import { shellLineWord } from "../../model/shell-word.ts";
import { removeEmptyFolders } from "../../platform/foreign-file.ts";
import { removeScratch } from "../../platform/scratch.ts";
import { isPostgres, storePath } from "../../platform/store-address.ts";
import type { Store } from "../../store/store.ts";
import { count } from "../../text/counting.ts";
import { usersSessions } from "../../workflow/own-journal.ts";
import { newestCaptures } from "../../workspace/captures/captures.ts";
import type { AppPlace } from "../place/app-place.ts";

/** Plans looked at for what is parked, newest first, of each tree (T5). */
const MAX_PLANS = 1000;

/** Names of ours in the store's folder beside the store itself and its companions. */
const OWN_NAMES = [
  ...["analysis.cache", "bin", "databases.cache", "handoffs", "inbox", "install"],
  ...["moved.cache", "open", "runs", "scratch"],
];

export interface KeptThings {
  readonly isNothing: boolean;
  /** Where it is; null: there is none. */
  readonly store: string | null;
  readonly isServer: boolean;
  /** Counted only where they may be lost. */
  readonly sessions: SessionCounts | null;
}

export interface SessionCounts {
  readonly all: number;
  readonly live: number;
  readonly unsettled: number;
  readonly parked: number;
  /** One of the trees they were parked from; null: none. */
  readonly parkedFrom: string | null;
}

export async function keptThings(at: AppPlace, home: string, isPurge: boolean): Promise<KeptThings> {
  const address = await at.storeAddress();
  const isServer = isPostgres(address);
  const hasFile = !isServer && existsSync(storePath(address));
  const sessions = isPurge && hasFile ? await countSessions(at) : null;
  const isNothing = !hasFile && ownThings(home, isServer ? null : storePath(address)).length === 0;
  return { isNothing, store: isServer || hasFile ? address : null, isServer, sessions };
}

async function countSessions(at: AppPlace): Promise<SessionCounts> {
  const store = await at.openStore();
  const sessions = await store.describe(usersSessions(await store.raw.sessions({})));
  const parked = await parkedThings(store.raw);
  return {
    ...parked,
    all: sessions.length,
    live: sessions.filter(({ state }) => state === "live").length,
    unsettled: sessions.filter(({ unsettled }) => unsettled).length,
  };
}

/** Of every tree there is or was. */
async function parkedThings(store: Store): Promise<Pick<SessionCounts, "parked" | "parkedFrom">> {
  let parked = 0;
  let parkedFrom: string | null = null;
  for (const row of await store.sessions({ prefix: ACTS_PREFIX })) {
    const [taken] = await newestCaptures(store, [row], 1);
    if (taken === undefined) continue;
    const plans: Plan[] = [];
    const root = taken.capture.workspace.path;
    for await (const plan of plansOf(store, { kind: "folder", root })) {
      plans.push({ ...plan, isOfOtherTree: false });
      if (plans.length === MAX_PLANS) break;
    }
    const here = parkedIn(historyOf(plans)).length;
    if (here > 0) parkedFrom ??= root;
    parked += here;
  }
  return { parked, parkedFrom };
}

export function assertMayPurge({ sessions }: KeptThings, dropUnsettled: boolean): void {
  if (sessions === null) return;
  if (sessions.live > 0)
    throw new RefloatError("E_PURGE_LIVE", { what: `${count(sessions.live, "session")} may be` });
  const { unsettled, parked, parkedFrom } = sessions;
  const lost = [
    ...(unsettled === 0 ? [] : [`${count(unsettled, "session")} with work that is not settled`]),
    ...(parked === 0 ? [] : [`${count(parked, "parked group")}`]),
  ];
  if (lost.length === 0 || dropUnsettled) return;
  const shows = [
    ...(unsettled === 0 ? [] : ["`refloat sessions --all`"]),
    ...(parkedFrom === null ? [] : [`\`refloat -C ${shellLineWord(parkedFrom)} parked\``]),
  ];
  const seen = `${shows.join(" and ")} ${shows.length === 1 ? "shows" : "show"} them.`;
  throw new RefloatError("E_PURGE_UNSETTLED", { what: `${lost.join(" and ")} would be lost`, seen });
}

/** What is left in the folder, and is not ours. */
export async function purge(at: AppPlace, home: string): Promise<readonly string[]> {
  const address = await at.storeAddress();
  // What closing still writes must not come after.
  await (await at.findStore())?.close();
  for (const name of ownThings(home, isPostgres(address) ? null : storePath(address)))
    removeScratch(join(home, name));
  removeEmptyFolders([home]);
  return existsSync(home) ? readdirSync(home) : [];
}

/** The store's own files are all named after it. */
function ownThings(home: string, store: string | null): readonly string[] {
  if (!existsSync(home)) return [];
  const own = store === null ? null : basename(store);
  return readdirSync(home).filter(
    (name) =>
      OWN_NAMES.includes(name) ||
      (own !== null && (name === own || name.startsWith(`${own}-`) || name.startsWith(`${own}.damaged-`))),
  );
}
