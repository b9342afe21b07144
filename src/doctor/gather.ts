/** Gathers what the checks look at. Reads only: where no store is, none is made, and a broken one is not touched. */
import { accessSync, constants, existsSync, lstatSync, realpathSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { openPlans } from "../acts/plans/plans.ts";
import { isSharedServer } from "../agents/shared-servers.ts";
import { ensureError, RefloatError } from "../model/errors.ts";
import type { Owner } from "../model/owner.ts";
import type { OpenWhat } from "../model/record.ts";
import { isWorkflowSession } from "../model/workflow-ids.ts";
import type { Clock } from "../platform/clock.ts";
import { fileSystemOf } from "../platform/file-system.ts";
import { errnoOf } from "../platform/io-error.ts";
import { livenessOf } from "../platform/liveness.ts";
import type { Environment } from "../platform/places.ts";
import { homeOfStore, isPostgres, storePath } from "../platform/store-address.ts";
import { readStory } from "../recover/attempt-story.ts";
import { listLeftovers, liveOwnersIn } from "../recover/list-leftovers.ts";
import { describeSession } from "../session/describe.ts";
import { awaitsHearing, workspaceIn } from "../store/contract/session-facts.ts";
import { livenessOfHolder } from "../store/holder.ts";
import { lookAtSeals } from "../store/look-at-seals.ts";
import { describeOwner } from "../store/refusal-error.ts";
import type { Store } from "../store/store.ts";
import { keyFileIn } from "../store/store-keys.ts";
import { identityOf } from "../workflow/claim-ids.ts";
import { isOfFile, standingOfClaim } from "../workflow/claim-owner.ts";
import { stepClaimsNow } from "../workflow/claims-now.ts";
import { isOwnJournal } from "../workflow/own-journal.ts";
import { own, textOf } from "../workflow/state-doc.ts";
import { keptVersions, readKnownLog } from "../workflow/state-journal.ts";
import { storeClaimsOf } from "../workflow/store-claims.ts";
import { parseState } from "../workflow/validate.ts";
import { readText, validateFiles } from "../workflow/validate-files.ts";
import type { Workspace } from "../workspace/opening/workspace.ts";
import { acceptedLosses, lostEnds } from "../workspace/sessions/accepted-losses.ts";
import { configFacts, isConfigured } from "./config-facts.ts";
import type {
  DoctorClaim,
  DoctorFacts,
  HookFacts,
  LeftoverFacts,
  PlanFacts,
  SessionFacts,
  StateFileFacts,
  StoreFacts,
} from "./facts.ts";
import { installCommand, movedFrom, strayFilesIn, straySlotsIn } from "./stray-files.ts";

/** What a recovery settles; inputs and operations stay as they are. */
const CUT_OFF = new Set<OpenWhat>(["turn", "call", "message"]);

export interface DoctorSurroundings {
  readonly clock: Clock;
  readonly env: Environment;
  readonly address: string;
  readonly isThere: boolean;
  /** By a flag or the environment, not by the home. */
  readonly isNamed: boolean;
  /** Opens the store; throws an error of the catalogue. */
  readonly openStore: () => Promise<Store>;
  readonly stateFiles: readonly string[];
  readonly nodeVersion: string;
  /** Throws what is wrong with git. */
  readonly requireGit: () => Promise<void>;
  /** PATH, for what it holds. */
  readonly path: string;
  /** Null: where the command was started is no workspace. */
  readonly workspace: Workspace | null;
  /** What is known of agents' hooks, told by a room that knows agents. */
  readonly hooks: (store: Store | null) => Promise<HookFacts>;
}

export async function gatherFacts(around: DoctorSurroundings): Promise<DoctorFacts> {
  const opened = await tryOpen(around);
  const store = opened.store;
  const claims = store ? await claimsIn(store) : [];
  const plans = store ? await plansIn(store, around) : [];
  return {
    nodeVersion: around.nodeVersion,
    gitProblem: await gitProblem(around),
    installGit: installCommand("git", around.path),
    installPerl: installCommand("perl", around.path),
    store: {
      ...placeOf(around),
      openError: opened.error,
      damage: store ? await damageOf(store) : [],
      losses: store ? await lossesOf(store) : [],
      sealing: store ? await sealingOf(store) : null,
    },
    sessions: store ? await sessionsIn(store) : [],
    claims,
    stateFiles: await stateFilesIn(around, store),
    plans,
    configs: await configFacts(around),
    leftovers: store ? await leftoversIn(store, around) : [],
    moved: store ? await movedFrom(store, around.workspace) : [],
    strayFiles: strayFilesIn(foldersOf(around)),
    // While a plan is open its slots are at work, or are cleared away with it.
    hooks: await around.hooks(store),
    straySlots: plans.length > 0 || !around.workspace ? [] : await straySlotsIn(around.workspace),
  };
}

async function gitProblem({ requireGit }: DoctorSurroundings): Promise<string | null> {
  try {
    await requireGit();
    return null;
  } catch (thrown) {
    if (thrown instanceof RefloatError) return thrown.message;
    throw thrown;
  }
}

interface OpenedStore {
  readonly store: Store | null;
  readonly error: StoreFacts["openError"];
}

async function tryOpen({ isThere, openStore }: DoctorSurroundings): Promise<OpenedStore> {
  if (!isThere) return { store: null, error: null };
  try {
    return { store: await openStore(), error: null };
  } catch (thrown) {
    const code = thrown instanceof RefloatError ? thrown.code : "E_STORE_IO";
    return { store: null, error: { code, message: ensureError(thrown).message } };
  }
}

/** Ends of journals that are known to be gone, and that nobody has accepted yet. */
async function lossesOf(store: Store): Promise<StoreFacts["losses"]> {
  const isAccepted = await acceptedLosses(store);
  return (await lostEnds(store)).filter((loss) => !isAccepted(loss));
}

/** Null: they lie where this process does not come to, in a bucket it was not told of; or are damaged, which other rows say. */
async function sealingOf(store: Store): Promise<StoreFacts["sealing"]> {
  try {
    return await lookAtSeals(store);
  } catch (thrown) {
    if (thrown instanceof RefloatError) return null;
    throw thrown;
  }
}

type StorePlace = Omit<StoreFacts, "openError" | "damage" | "losses" | "sealing">;

function placeOf({ address, isThere, isNamed, env }: DoctorSurroundings): StorePlace {
  if (isPostgres(address)) {
    const shown = address.replace(/\/\/[^@/]*@/, "//");
    return {
      ...{ address: shown, isThere, isNamed },
      ...{ fileSystem: null, freeBytes: null, open: openToOthers(keyFiles(env)), notWritable: null },
    };
  }
  const path = storePath(address);
  const folder = dirname(path);
  const files = [folder, path, `${path}-wal`, `${path}-shm`].filter((one) => existsSync(one));
  return {
    address: path,
    isThere,
    isNamed,
    fileSystem: fileSystemOf(folder),
    freeBytes: existsSync(folder) ? bytesLeft(folder) : null,
    notWritable: notWritable(folder),
    open: openToOthers([...(isThere ? files : []), ...keyFiles(env)]),
  };
}

const openToOthers = (paths: readonly string[]): StoreFacts["open"] =>
  paths
    .map((path) => ({ path, mode: lstatSync(path).mode & 0o777 }))
    .filter(({ mode }) => (mode & 0o077) !== 0);

/** Where it really is: a secret that a container is given is a link to it. */
function keyFiles(env: Environment): readonly string[] {
  const path = keyFileIn(env);
  return path !== null && existsSync(path) ? [realpathSync(path)] : [];
}

/** Asked of the folder, or of the first one above it that is there: the store's would be made in it. */
function notWritable(folder: string): StoreFacts["notWritable"] {
  if (!existsSync(folder) && dirname(folder) !== folder) return notWritable(dirname(folder));
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return null;
  } catch (thrown) {
    return { folder, isDisk: errnoOf(thrown) === "EROFS" };
  }
}

function bytesLeft(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

async function damageOf(store: Store): Promise<readonly string[]> {
  return (await store.driver.checkEngine()).map(({ where, message }) => `${where}: ${message}`);
}

async function sessionsIn(store: Store): Promise<readonly SessionFacts[]> {
  const found: SessionFacts[] = [];
  for await (const row of store.everySession()) {
    if (isOwnJournal(row.id)) continue;
    const { id, name, state, renewed_as } = await describeSession(store, row);
    const isOpen = (await store.open(row.id)).some(({ what }) => CUT_OFF.has(what));
    const isUnread = state !== "live" && awaitsHearing(row);
    found.push({
      ...{ id, name, state, isOpen },
      ...(renewed_as === undefined ? {} : { renewed_as }),
      ...(isUnread ? { unreadIn: existsSync(workspaceIn(row)) ? workspaceIn(row) : null } : {}),
    });
  }
  return found;
}

const nameOf = ({ label, instance }: Owner): string => label ?? instance;

async function claimsIn(store: Store): Promise<readonly DoctorClaim[]> {
  const found: DoctorClaim[] = [];
  for await (const row of store.everySession()) {
    const { owner } = row.claim;
    if (!owner || isWorkflowSession(row.id)) continue;
    const { liveness, isHeld, isAgentAlone } = await standingOfClaim(store, row);
    if (!liveness || (!isHeld && awaitsHearing(row))) continue;
    found.push({
      session: row.id,
      name: textOf(row.facts.name),
      owner: nameOf(owner),
      liveness: liveness.kind,
      isAgentAlone,
      isHeld,
      step: null,
    });
  }
  // A file's own claim is held for the moment of a write: what a kill left of it is `state-unfinished`. What only a
  // file says is told with the file.
  for (const { session, name, owner, liveness, isHeld, step } of await stepClaimsNow(store, store.clock, []))
    if (!isOfFile(owner))
      found.push({
        session,
        name,
        owner: nameOf(owner),
        liveness: liveness.kind,
        isAgentAlone: false,
        isHeld,
        step,
      });
  return found;
}

async function plansIn(store: Store, { workspace }: DoctorSurroundings): Promise<readonly PlanFacts[]> {
  if (!workspace) return [];
  return (await openPlans(store, workspace)).map(({ id, act, executor }) => ({
    id,
    act,
    executor: describeOwner(executor),
    liveness: livenessOf(executor).kind,
  }));
}

/** Of every attempt that is over and was supervised: only its processes carry a mark (S2). */
async function leftoversIn(
  store: Store,
  { address, env }: DoctorSurroundings,
): Promise<readonly LeftoverFacts[]> {
  const found: LeftoverFacts[] = [];
  const home = homeOfStore(address, env);
  for await (const row of store.everySession()) {
    if (isOwnJournal(row.id)) continue;
    const story = await readStory(store, row);
    const isLive = livenessOfHolder(row).liveness?.kind === "alive";
    if (story.mark === null || isLive) continue;
    const liveOwners = await liveOwnersIn(store, row.id);
    const source = { session: row.id, story, home, liveOwners, isSharedServer };
    for (const { pid, command, kept } of listLeftovers(source) ?? [])
      if (kept === null) found.push({ session: row.id, pid, command });
  }
  return found;
}

function foldersOf({ address, stateFiles }: DoctorSurroundings): string[] {
  const beside = stateFiles.map((path) => dirname(path));
  return isPostgres(address) ? beside : [dirname(storePath(address)), ...beside];
}

async function stateFilesIn(
  { stateFiles, clock }: DoctorSurroundings,
  store: Store | null,
): Promise<readonly StateFileFacts[]> {
  const found: StateFileFacts[] = [];
  for (const path of stateFiles) {
    const claims = store ? await storeClaimsOf(store, identityOf(path).session) : null;
    // A config that cannot be used is a finding of its own, and leaves the rest of them to be found.
    const log = store ? await readKnownLog(store, identityOf(path).session) : null;
    const findings = isConfigured(path)
      ? validateFiles([path], { clock, claims: () => claims, log: () => log })
      : [];
    const read = readText(path);
    const parsed = read.kind === "read" ? parseState(read.text) : null;
    const [last] = store ? await keptVersions(store, identityOf(path).session, 1) : [];
    found.push({
      path,
      version: parsed?.kind === "parsed" ? textOf(own(parsed.value, "schema_version")) : null,
      findings,
      isUnfinished: last !== undefined && !last.isSettled,
    });
  }
  return found;
}
