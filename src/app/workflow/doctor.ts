/** `doctor`: every check there is. With `fixes` it does what needs no decision, never discards, and looks again. */
import { type DoctorFinding, diagnose } from "../../doctor/checks.ts";
import type { DoctorFacts } from "../../doctor/facts.ts";
import { type FixedCheck, fixAll } from "../../doctor/fix.ts";
import { gatherFacts } from "../../doctor/gather.ts";
import { RefloatError } from "../../model/errors.ts";
import { requireGit } from "../../workspace/git/version.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { finishOpenPlans } from "../acts/finish-open.ts";
import type { OpenedPlace } from "../place/open-place.ts";
import { everyKnownFile } from "../place/state-files.ts";
import { workspaceHere } from "../place/workspace-here.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { hookFacts } from "./hook-facts.ts";

export interface DoctorOrder {
  readonly fixes: boolean;
  /** The store was named by whoever asks, and not only by his environment or his home. */
  readonly isStoreNamed: boolean;
}

export interface DoctorOutcome {
  /** What is there now, each with its command. */
  readonly findings: readonly DoctorFinding[];
  readonly fixed: readonly FixedCheck[];
}

export async function doctor(at: OpenedPlace, order: DoctorOrder): Promise<DoctorOutcome> {
  const facts = await factsHere(at, order);
  const before = diagnose(facts);
  const fixed = order.fixes && before.length > 0 ? await fix(at, facts) : [];
  return { fixed, findings: fixed.length > 0 ? diagnose(await factsHere(at, order)) : before };
}

async function factsHere(at: OpenedPlace, { isStoreNamed }: DoctorOrder): Promise<DoctorFacts> {
  const { env, clock } = at;
  return gatherFacts({
    clock,
    address: await at.storeAddress(),
    isThere: await at.hasStore(),
    isNamed: isStoreNamed || Boolean(env.REFLOAT_STORE),
    openStore: async () => (await at.openStore()).raw,
    stateFiles: await everyKnownFile(at),
    env,
    nodeVersion: process.versions.node,
    requireGit: () => requireGit(env, at.place()),
    path: env.PATH ?? "",
    workspace: await workspaceOf(at),
    hooks: (store) => hookFacts(at, store),
  });
}

async function fix(at: OpenedPlace, facts: DoctorFacts): Promise<readonly FixedCheck[]> {
  const isOpen = facts.store.openError === null;
  // State files are repaired with the store's help; the first one makes it, as every state command does.
  const needsStore = facts.store.isThere || facts.stateFiles.some(({ findings }) => findings.length > 0);
  const store = isOpen && needsStore ? await at.openOrMakeStore() : null;
  return fixAll(facts, {
    store: store?.raw ?? null,
    settlePlans: async () => (store ? finished(store, await workspaceOf(at)) : []),
    recover: async () => (store ? (await store.recover()).map(({ session }) => session) : []),
  });
}

/** A hostile or broken repository has its own findings: the doctor goes on without the workspace. */
async function workspaceOf(at: OpenedPlace): Promise<Workspace | null> {
  try {
    return (await workspaceHere(at, await at.findStore())).workspace;
  } catch (thrown) {
    if (thrown instanceof RefloatError) return null;
    throw thrown;
  }
}

async function finished(store: RefloatStore, workspace: Workspace | null): Promise<readonly string[]> {
  if (!workspace) return [];
  return (await finishOpenPlans(store.raw, workspace)).map(
    ({ plan, act, how }) => `The plan ${plan} (${act}) is ${how === "finished" ? how : "taken back"}.`,
  );
}
