/** `step start|sub|done|skip|reset` and `claim keep`: which file is meant, whose the claim is (K5), the act. */
import { RefloatError } from "../../model/errors.ts";
import { identityOf } from "../../workflow/claim-ids.ts";
import { claimOwner } from "../../workflow/claim-owner.ts";
import { createShapeReader } from "../../workflow/read-config.ts";
import { actOnStep, beat, type StepDone, stepMeant } from "../../workflow/step-acts.ts";
import type { StepExtras, StepOrder } from "../../workflow/step-transition.ts";
import type { AppPlace } from "../place/app-place.ts";
import { assertOn } from "../place/off.ts";
import { oneFile, oneFileOrNew } from "../place/state-files.ts";
import { isUnwritable } from "../sessions/say-here.ts";
import { carryOutHere, carryOutOf, isHooked, isTakenIn } from "./carry-out-here.ts";

interface StepMeant {
  /** Its number: 1, 3.5. */
  readonly step: string;
  /** The state file or its folder; null: the one of where somebody stands. */
  readonly file: string | null;
  /** Null: the session's in REFLOAT_SESSION, else `manual`. */
  readonly owner: string | null;
}

export interface StepRequest extends StepMeant {
  readonly does: StepOrder;
  /** Its name, for whoever asks; null: he said none. */
  readonly name: string | null;
  /** It is refused unless this is still the claim's; null: whatever it is. */
  readonly token: string | null;
  readonly extras: StepExtras;
}

/** Claims the step, changes the file and its companion. The first start of all makes the file. */
export async function step(
  at: AppPlace,
  request: StepRequest,
): Promise<StepDone & { readonly file: string }> {
  const { does, file: named, token, extras } = request;
  // A claim keeps others away: none is said to be there that nobody recorded.
  await assertOn(at, `step ${does.kind}`);
  await carryOutHere(at);
  const file = await fileOf(at, request);
  const store = await at.openOrMakeStore();
  await carryOutOf(at, store.raw, [file]);
  const owner = claimOwner(at.env.REFLOAT_SESSION, request.owner);
  const done = await actOnStep(store.raw, file, request.step, does, { owner, token, named, extras });
  return { file, ...done, warnings: [...done.warnings, ...otherName(request, done)] };
}

const fileOf = (at: AppPlace, { does, file }: StepRequest): Promise<string> =>
  does.kind === "start" ? oneFileOrNew(at, file) : oneFile(at, file);

export type StepOutcome =
  | { readonly kind: "done"; readonly done: StepDone & { readonly file: string } }
  /** The store cannot be written here: nothing is claimed. Whoever said it leaves a marker, which the hooks of the agent take in. */
  | { readonly kind: "said"; readonly file: string };

/** For a command, which an agent may call from inside its sandbox. Where nobody would ever take in what is said, it is refused (T1). */
export async function stepOrSay(at: AppPlace, request: StepRequest): Promise<StepOutcome> {
  try {
    return { kind: "done", done: await step(at, request) };
  } catch (thrown) {
    if (!(thrown instanceof RefloatError) || !(await isForSandbox(at, thrown))) throw thrown;
    const file = identityOf(await oneFileOrNew(at, request.file)).path;
    if (!(await isTakenIn(at, file))) throw thrown;
    stepMeant(createShapeReader()(file), request.step);
    return { kind: "said", file };
  }
}

/** The store cannot be written here. That there is no state file yet may be so because its first start was only said, too. */
async function isForSandbox(at: AppPlace, thrown: RefloatError): Promise<boolean> {
  if (thrown.code !== "E_NO_STATE" || !(await isHooked(at))) return isUnwritable(thrown);
  try {
    await at.openOrMakeStore();
    return false;
  } catch (refused) {
    return refused instanceof RefloatError && isUnwritable(refused);
  }
}

/** The number says which step is meant; a name beside it that is another's is a slip worth seeing. */
function otherName({ name: typed }: StepRequest, { step: number, name }: StepDone): string[] {
  if (typed === null || typed.toLowerCase() === name.toLowerCase()) return [];
  return [`step ${number} is called ${name}, not ${typed}`];
}

export interface KeepOrder extends StepMeant {
  /** At the latest; sooner where the claim's threshold needs it (K2). */
  readonly everyMs: number;
}

/** Renews a claim by a timer, in the store and in the file, until it is stopped; throws when the claim is gone. */
export async function keepStep(
  at: AppPlace,
  order: KeepOrder,
  { stop, onKept }: { readonly stop: AbortSignal; readonly onKept: (owner: string) => void },
): Promise<void> {
  await assertOn(at, "claim keep");
  const file = await oneFile(at, order.file);
  const owner = claimOwner(at.env.REFLOAT_SESSION, order.owner);
  const store = await at.openOrMakeStore();
  for (let beats = 0; !stop.aborted; beats++) {
    const { pauseMs } = await beat(store.raw, file, order.step, owner, order.everyMs);
    if (beats === 0) onKept(owner.instance);
    await at.clock.sleep(pauseMs, stop).catch(() => undefined); // stopped: the loop ends
  }
}
