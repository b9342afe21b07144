/**
 * What was said about a state file from inside a sandbox (said-orders.ts), kept, and carried out in the order it was said by the first
 * command that may write the file (W1). Each once: that it is done is in the transaction of the version it made (D4). What the file's
 * rules or somebody's claim forbid by then is refused, with the reason (T1).
 */
import { RefloatError } from "../model/errors.ts";
import type { NewRecord } from "../model/record.ts";
import { newRecord } from "../session/new-record.ts";
import type { Store } from "../store/store.ts";
import { finishChange, inFilesClaim } from "./change-state.ts";
import { identityOf } from "./claim-ids.ts";
import { claimOwner, sessionOwner } from "./claim-owner.ts";
import {
  type AnsweredOrder,
  type SaidBody,
  type SaidOrder,
  type SaidToFile,
  saidAbout,
} from "./said-orders.ts";
import { AlreadyAnswered, actOnStep, decide, type SaidBefore } from "./step-acts.ts";
import type { StepOrder } from "./step-transition.ts";

/** `event`: the inbox' name of what told of it: said again it is the same (D4). */
export async function keepSaid(
  store: Store,
  file: string,
  { event, atMs, body }: { readonly event: string; readonly atMs: number; readonly body: SaidBody },
): Promise<void> {
  const { session } = identityOf(file);
  if ((await store.session(session)) === null) await inFilesClaim(store, file, async () => undefined);
  const record = { ...newRecord(store.clock, "state.said", { ...body }, `said:${event}`), atMs };
  await store.append(session, "anyone", [record]);
}

/** What the file's rules, its holder or the words themselves forbid. Anything else (a damaged file, a full disk) leaves it waiting. */
const REFUSALS: ReadonlySet<string> = new Set([
  "E_STEP",
  "E_STEP_HELD",
  "E_STEP_FENCED",
  "E_USAGE",
  "E_STATE_INVALID",
]);

/** For whoever may write the file, before he does. */
export async function carryOutSaid(store: Store, file: string): Promise<readonly AnsweredOrder[]> {
  // That it was done is durable before the file is written.
  await finishChange(store, file);
  const { waiting } = await saidAbout(store, file);
  const answered: AnsweredOrder[] = [];
  for (const said of waiting) {
    try {
      await carryOut(store, file, said);
      answered.push({ ...said, outcome: "done" });
    } catch (thrown) {
      if (thrown instanceof AlreadyAnswered) continue;
      if (!(thrown instanceof RefloatError)) throw thrown;
      // Those behind it were said upon it: they wait with it.
      if (!REFUSALS.has(thrown.code)) return answered;
      const why = thrown.message;
      await inFilesClaim(store, file, (attempt, { session }) =>
        store.append(session, { attempt }, [answerRecord(store, said.id, why)]),
      );
      answered.push({ ...said, outcome: "refused", why });
    }
  }
  return answered;
}

const answerRecord = (store: Store, said: string, why: string | null): NewRecord =>
  newRecord(
    store.clock,
    "state.answered",
    { said, outcome: why === null ? "done" : "refused", why },
    `answered:${said}`,
  );

async function carryOut(
  store: Store,
  file: string,
  { id, atMs, order, owner, attempt_of: of }: SaidToFile,
): Promise<void> {
  const said: SaidBefore = { atMs, answered: answerRecord(store, id, null) };
  if (order.kind === "decided") {
    await decide(store, file, order, said);
    return;
  }
  const { artifacts, context: contextFiles, findings, resolved, token } = order;
  await actOnStep(store, file, order.step, stepOrder(order), {
    owner:
      owner === null && of !== null ? sessionOwner(of.session, of.attempt) : claimOwner(undefined, owner),
    ...{ token, said, extras: { artifacts, contextFiles, findings, resolved } },
  });
}

function stepOrder({ does, part, reason }: Extract<SaidOrder, { kind: "step" }>): StepOrder {
  return does === "sub" ? { kind: does, name: part ?? "", reason } : { kind: does, reason };
}
