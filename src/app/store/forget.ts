/**
 * Erasing on the user's order, the one exception of D2: what would go is looked at first, and agreed to; what was found out about
 * erased work goes with it. A process under a session's mark erases nothing: evidence that is erased speaks against nobody any more (T2).
 */
import type { Environment } from "../../platform/places.ts";
import { dropKeptAnalysis } from "../../salvage/analysis/kept-analysis.ts";
import { finishErasures } from "../../store/finish-erasures.ts";
import { type ForgetResult, type ForgetSelector, forget } from "../../store/forget.ts";
import type { Store } from "../../store/store.ts";
import { assertNotJudged } from "../../workspace/trust/judged-session.ts";

export interface ForgetOrder {
  readonly store: Store;
  readonly env: Environment;
  /** The store's folder. */
  readonly home: string;
  readonly selector: ForgetSelector;
}

export type ForgetOutcome =
  /** Nothing was to be erased, or nothing was to be done. */
  | { readonly kind: "planned"; readonly found: ForgetResult }
  | { readonly kind: "declined"; readonly found: ForgetResult }
  | { readonly kind: "done"; readonly found: ForgetResult; readonly done: ForgetResult };

/** `ask`: whether that may go; null: a dry run. */
export async function forgetIfAgreed(
  order: ForgetOrder,
  ask: ((found: ForgetResult) => Promise<boolean>) | null,
): Promise<ForgetOutcome> {
  if (ask) await assertMayErase(order);
  const found = await forget(order.store, order.selector, { dryRun: true });
  if (!ask || found.sessions === 0) return { kind: "planned", found };
  if (!(await ask(found))) return { kind: "declined", found };
  return { kind: "done", found, done: await forgetNow(order) };
}

export async function forgetNow(order: ForgetOrder): Promise<ForgetResult> {
  await assertMayErase(order);
  await finishErasures(order.store);
  const done = await forget(order.store, order.selector);
  dropKeptAnalysis(order.home);
  return done;
}

const assertMayErase = ({ env, store }: ForgetOrder): Promise<void> =>
  assertNotJudged(env, store, "erase records");
