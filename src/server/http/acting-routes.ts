/**
 * What can be done: with groups that somebody chose, and taking it back. Each is asked twice, for the plan and to carry it out, and what is carried
 * out is what was shown (chosen-acts.ts). None is answered where the server itself stands under a session's mark (T2).
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { AppPlace } from "../../app/place/app-place.ts";
import { applyChosen, assertMayAct, planChosen } from "../../app/salvage/chosen-acts.ts";
import { standingAt } from "../../app/sessions/choose-session.ts";
import { removalPlan, removeWorktrees } from "../../app/worktrees/remove-worktrees.ts";
import {
  redoHere,
  undoHere,
  unparkHere,
  type WorkspacePlan,
  type WorkspaceReceipt,
} from "../../library/workspace-acts.ts";
import { RefloatError } from "../../model/errors.ts";
import { MAX_ID_BYTES } from "../../model/limits.ts";
import { shellLineWord } from "../../text/escape.ts";
import { inspected, sessionName } from "./reading-routes.ts";
import { type PageCall, type Route, type RouteAnswer, route } from "./route.ts";

const choices = z
  .record(z.string().min(1).max(MAX_ID_BYTES), z.enum(["commit", "park", "discard", "leave"]))
  .describe(
    "By the group's whole id: what is to be done with it. A group that is not named is left, and stays unsettled.",
  );

const message = z
  .string()
  .min(1)
  .max(20_000)
  .refine((text) => text.trim() !== "", "must not be empty")
  .describe("Of the commit; left out: one of the files.")
  .optional();

const digest = z.string().length(64).describe("Of the plan that is agreed to, as it was answered with it.");

const planRoute = route({
  method: "post",
  path: "/api/sessions/{session}/plan",
  summary: "What would be done with groups",
  about:
    "As `refloat settle` at a terminal plans it, by group. The user's check is run where its last run says nothing of this very content. Nothing is changed.",
  input: z.strictObject({ session: sessionName, choices, message }),
  answers: "lines",
  isWork: true,
  answer: async ({ at, face }, given) => {
    const planned = await planChosen(at, face, chosenOf(given));
    return { command: "settle", json: { ...planned, done: false } };
  },
});

const applyRoute = route({
  method: "post",
  path: "/api/sessions/{session}/apply",
  summary: "Does what was planned",
  about:
    "With the choices and the digest of the plan that was shown. Where the plan would be another by now: E_PLAN_CHANGED, and nothing is changed. One plan, one undo.",
  input: z.strictObject({ session: sessionName, choices, message, digest }),
  answers: "lines",
  isWork: true,
  answer: async ({ at, face, typed }, given) => {
    const receipt = await applyChosen(at, face, { ...chosenOf(given), digest: given.digest });
    const undo_command =
      receipt.undo === null ? null : typed(`refloat undo --plan ${shellLineWord(receipt.undo)}`);
    return { command: "settle", json: { ...receipt, undo_command } };
  },
});

const chosenOf = (given: {
  session: string;
  choices: Record<string, Act>;
  message?: string | undefined;
}) => ({
  session: given.session,
  choices: new Map(Object.entries(given.choices)),
  message: given.message ?? null,
});

type Act = "commit" | "park" | "discard" | "leave";

const verifyRoute = route({
  method: "post",
  path: "/api/sessions/{session}/verify",
  summary: "Runs the user's check",
  about:
    "The configured check, where it is trusted, on what the session left; then as `salvage` answers. What is run is said meanwhile, step by step.",
  input: z.strictObject({ session: sessionName }),
  answers: "lines",
  isWork: true,
  answer: async (call, { session }) => {
    // T2: whoever is judged does not run the judge.
    await assertMayAct(call.at);
    return inspected(call, session, { isChecking: true });
  },
});

const undoInput = z.strictObject({
  plan: z.string().min(4).max(MAX_ID_BYTES).describe("Left out: the newest act in that tree.").optional(),
  digest: digest.optional(),
});

const undoTaking =
  (plan: string | undefined): Taking =>
  async (at, ask) =>
    oneOf(await undoHere(at, { ...(plan ? { plan } : {}), ...ask }));

const SHOWN_FIRST = "Without a digest: the plan, and nothing is changed. With the plan's digest: it is done.";

const undoRoute = route({
  method: "post",
  path: "/api/sessions/{session}/undo",
  summary: "Takes an act back, or shows what that would do",
  about: SHOWN_FIRST,
  input: undoInput.extend({ session: sessionName }),
  answers: "lines",
  isWork: true,
  answer: (call, given) => takenBack(call, given, "undo", undoTaking(given.plan)),
});

const undoHereRoute = route({
  method: "post",
  path: "/api/undo",
  summary: "The same of an act in the work tree of the server",
  about: `${SHOWN_FIRST} What was parked or removed comes back by it, too.`,
  input: undoInput,
  answers: "lines",
  isWork: true,
  answer: (call, given) => takenBack(call, { ...given, session: null }, "undo", undoTaking(given.plan)),
});

const redoRoute = route({
  method: "post",
  path: "/api/sessions/{session}/redo",
  summary: "Does again what the last undo took back, or shows what that would do",
  about: SHOWN_FIRST,
  input: z.strictObject({ session: sessionName, digest: digest.optional() }),
  answers: "lines",
  isWork: true,
  answer: (call, given) => takenBack(call, given, "redo", redoHere),
});

const redoHereRoute = route({
  method: "post",
  path: "/api/redo",
  summary: "The same in the work tree of the server",
  about: SHOWN_FIRST,
  input: z.strictObject({ digest: digest.optional() }),
  answers: "lines",
  isWork: true,
  answer: (call, given) => takenBack(call, { ...given, session: null }, "redo", redoHere),
});

const unparkRoute = route({
  method: "post",
  path: "/api/unpark",
  summary: "Brings back what is parked, or shows what that would do",
  about: SHOWN_FIRST,
  input: z.strictObject({
    name: z.string().min(1).max(MAX_ID_BYTES).describe("As `parked` names it."),
    digest: digest.optional(),
  }),
  answers: "lines",
  isWork: true,
  answer: (call, given) =>
    takenBack(call, { ...given, session: null }, "unpark", (at, ask) => unparkHere(at, given.name, ask)),
});

type Taking = (at: AppPlace, ask: { ask?: (plan: WorkspacePlan) => boolean }) => Promise<WorkspaceReceipt>;

async function takenBack(
  { at, typed }: PageCall,
  given: { readonly session: string | null; readonly digest?: string | undefined },
  command: "undo" | "redo" | "unpark",
  take: Taking,
): Promise<RouteAnswer> {
  // T2: before anything else is said; of what there is to take back the plan tells.
  if (given.digest !== undefined) await assertMayAct(at);
  const standing = given.session === null ? at : { ...at, ...(await standingAt(at, given.session)) };
  const planned = await take(standing, {});
  if (given.digest === undefined) {
    const { kind: _planned, ...told } = planned;
    return { command, json: { ...told, done: false, digest: digestOf(planned.plan) } };
  }
  const changed = new RefloatError("E_PLAN_CHANGED", { session: given.session ?? "of this tree" });
  const isAgreed = (plan: WorkspacePlan): boolean => digestOf(plan) === given.digest;
  if (!isAgreed(planned.plan)) throw changed;
  // Asked again when it is about to be done: between the two looks somebody may have changed the tree.
  const receipt = await take(standing, { ask: isAgreed });
  if (receipt.kind === "declined") throw changed;
  const { kind, ...told } = receipt;
  const { id } = told.plan;
  const again = command === "undo" ? "refloat redo" : `refloat undo --plan ${shellLineWord(id ?? "")}`;
  const isDone = kind === "done";
  return { command, json: { ...told, done: isDone, undo: id, undo_command: isDone ? typed(again) : null } };
}

const removeRoute = route({
  method: "post",
  path: "/api/worktrees/remove",
  summary: "Removes work trees that may go, or shows which would",
  about: `${SHOWN_FIRST} Each is held whole first; one undo brings all of them back. One that may not go stops all of it.`,
  input: z.strictObject({
    paths: z.array(z.string().min(1).max(4096)).min(1).max(1000).describe("As `worktrees` names them."),
    digest: digest.optional(),
  }),
  answers: "lines",
  isWork: true,
  answer: async ({ at, typed }, { paths, digest: agreed }) => {
    if (agreed !== undefined) await assertMayAct(at);
    const remove = (ask: "yes" | "no") =>
      removeWorktrees(
        at,
        { mayAct: ask === "yes", ask: async () => ask },
        { paths, isDryRun: ask === "no", dropsIgnored: false },
      );
    const planned = await remove("no");
    const shown = removalPlan(planned.kind === "planned" ? planned.worktrees : []);
    const common = { conflicts: [], commit: null };
    const command = "worktrees-remove";
    if (agreed === undefined)
      return { command, json: { plan: shown, ...common, done: false, digest: digestOf(shown) } };
    if (digestOf(shown) !== agreed) throw new RefloatError("E_PLAN_CHANGED", { session: "of this tree" });
    const ended = await remove("yes");
    const plan = removalPlan(ended.kind === "done" ? ended.worktrees : []);
    const undo_command = plan.id === null ? null : typed(`refloat undo --plan ${shellLineWord(plan.id)}`);
    return { command, json: { plan, ...common, done: plan.id !== null, undo: plan.id, undo_command } };
  },
});

/** The plan has an id only once it is done. */
const digestOf = ({ id: _id, ...plan }: WorkspacePlan): string =>
  createHash("sha256").update(JSON.stringify(plan)).digest("hex");

/** An order that was carried out in several trees is taken back at a terminal, where each of them is shown. */
function oneOf(receipts: readonly WorkspaceReceipt[]): WorkspaceReceipt {
  const [one, ...others] = receipts;
  if (!one || others.length > 0)
    throw new RefloatError("E_USAGE", {
      why: "That act was carried out in several work trees: `refloat undo` takes all of it back.",
    });
  return one;
}

export const ACTING_ROUTES: readonly Route[] = [
  planRoute,
  applyRoute,
  verifyRoute,
  undoRoute,
  redoRoute,
  undoHereRoute,
  redoHereRoute,
  unparkRoute,
  removeRoute,
];
