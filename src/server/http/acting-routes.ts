/**
 * What can be done: with groups that somebody chose, and taking it back. Each is asked twice, for the plan and to carry it out, and what is carried
 * out is what was shown (chosen-acts.ts). None is answered where the server itself stands under a session's mark (T2).
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { applyChosen, assertMayAct, planChosen } from "../../app/salvage/chosen-acts.ts";
import { standingAt } from "../../app/sessions/choose-session.ts";
import {
  redoHere,
  undoHere,
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

const undoRoute = route({
  method: "post",
  path: "/api/sessions/{session}/undo",
  summary: "Takes an act back, or shows what that would do",
  about: "Without a digest: the plan, and nothing is changed. With the plan's digest: it is done.",
  input: z.strictObject({
    session: sessionName,
    plan: z.string().min(4).max(MAX_ID_BYTES).describe("Left out: the newest act in that tree.").optional(),
    digest: digest.optional(),
  }),
  answers: "lines",
  isWork: true,
  answer: (call, given) =>
    takenBack(call, given, "undo", async (at, ask) =>
      oneOf(await undoHere(at, { ...(given.plan ? { plan: given.plan } : {}), ...ask })),
    ),
});

const redoRoute = route({
  method: "post",
  path: "/api/sessions/{session}/redo",
  summary: "Does again what the last undo took back, or shows what that would do",
  about: "Without a digest: the plan, and nothing is changed. With the plan's digest: it is done.",
  input: z.strictObject({ session: sessionName, digest: digest.optional() }),
  answers: "lines",
  isWork: true,
  answer: (call, given) => takenBack(call, given, "redo", (at, ask) => redoHere(at, ask)),
});

type Taking = (
  at: PageCall["at"],
  ask: { ask?: (plan: WorkspacePlan) => boolean },
) => Promise<WorkspaceReceipt>;

async function takenBack(
  { at, typed }: PageCall,
  given: { readonly session: string; readonly digest?: string | undefined },
  command: "undo" | "redo",
  take: Taking,
): Promise<RouteAnswer> {
  const standing = { ...at, ...(await standingAt(at, given.session)) };
  const planned = await take(standing, {});
  if (given.digest === undefined) {
    const { kind: _planned, ...told } = planned;
    return { command, json: { ...told, done: false, digest: digestOf(planned.plan) } };
  }
  await assertMayAct(at);
  const isAgreed = (plan: WorkspacePlan): boolean => digestOf(plan) === given.digest;
  if (!isAgreed(planned.plan)) throw new RefloatError("E_PLAN_CHANGED", { session: given.session });
  // Asked again when it is about to be done: between the two looks somebody may have changed the tree.
  const receipt = await take(standing, { ask: isAgreed });
  if (receipt.kind === "declined") throw new RefloatError("E_PLAN_CHANGED", { session: given.session });
  const { kind, ...told } = receipt;
  const { id } = told.plan;
  const again = command === "undo" ? "refloat redo" : `refloat undo --plan ${shellLineWord(id ?? "")}`;
  const isDone = kind === "done";
  return { command, json: { ...told, done: isDone, undo: id, undo_command: isDone ? typed(again) : null } };
}

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

export const ACTING_ROUTES: readonly Route[] = [planRoute, applyRoute, verifyRoute, undoRoute, redoRoute];
