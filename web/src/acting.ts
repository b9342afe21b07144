/** From a plan to its receipt: what is shown, what is agreed to, what came of it, and how it is taken back. One at a time. */
import { signal } from "@preact/signals";
import type { Manifest } from "../../src/model/manifest.ts";
import { type AnswerLine, type ApiError, changes, order } from "./api.ts";
import type { ToldReceipt } from "./told.ts";
import { unwatched, type WatchedCheck, watchedLine } from "./watched-check.tsx";
import type { Choice } from "./words.ts";

export interface ShownPlan {
  readonly plan: ToldReceipt["plan"];
  readonly conflicts: ToldReceipt["conflicts"];
  readonly digest: string;
  readonly message?: string | null;
  readonly leftovers?: Manifest["leftovers"];
}

export type AskedWhat = "settle" | "undo" | "redo" | "unpark" | "remove";

export interface Asking {
  readonly what: AskedWhat;
  /** Null: in the tree that the server stands in. */
  readonly session: string | null;
  readonly body: Readonly<Record<string, unknown>>;
}

export type Acting =
  | { readonly kind: "none" }
  /** `said`: what was heard last. */
  | {
      readonly kind: "planning" | "doing";
      readonly of: Asking;
      readonly said: string | null;
      readonly check: WatchedCheck;
    }
  | { readonly kind: "shown"; readonly of: Asking; readonly plan: ShownPlan; readonly isOther: boolean }
  | { readonly kind: "done"; readonly of: Asking; readonly receipt: ToldReceipt }
  | { readonly kind: "failed"; readonly of: Asking; readonly error: ApiError };

export const acting = signal<Acting>({ kind: "none" });

function pathOf({ what, session }: Asking, step: "plan" | "apply"): string {
  if (session !== null)
    return `/api/sessions/${encodeURIComponent(session)}/${what === "settle" ? step : what}`;
  return what === "remove" ? "/api/worktrees/remove" : `/api/${what}`;
}

export const planChoices = (
  session: string,
  choices: ReadonlyMap<string, Choice>,
  message: string | null,
): Promise<void> =>
  plan({
    what: "settle",
    session,
    body: { choices: Object.fromEntries(choices), ...(message === null ? {} : { message }) },
  });

export const planUnpark = (name: string): Promise<void> =>
  plan({ what: "unpark", session: null, body: { name } });

export const planRemoval = (paths: readonly string[]): Promise<void> =>
  plan({ what: "remove", session: null, body: { paths } });

export const planUndo = (session: string | null, id: string): Promise<void> =>
  plan({ what: "undo", session, body: { plan: id } });

export const planRedo = (session: string | null): Promise<void> => plan({ what: "redo", session, body: {} });

async function plan(of: Asking, isOther = false): Promise<void> {
  acting.value = { kind: "planning", of, said: null, check: unwatched };
  try {
    const shown = await order<ShownPlan>(pathOf(of, "plan"), of.body, hear("planning"));
    acting.value = { kind: "shown", of, plan: shown, isOther };
  } catch (error) {
    acting.value = { kind: "failed", of, error: error as ApiError };
  }
}

/** Agreed to. What comes out otherwise now is shown again, and nothing was changed. */
export async function apply(of: Asking, shown: ShownPlan): Promise<void> {
  acting.value = { kind: "doing", of, said: null, check: unwatched };
  try {
    const receipt = await order<ToldReceipt>(
      pathOf(of, "apply"),
      { ...of.body, digest: shown.digest },
      hear("doing"),
    );
    acting.value = { kind: "done", of, receipt };
    changes.value++;
  } catch (thrown) {
    const error = thrown as ApiError;
    if (error.code === "E_PLAN_CHANGED") {
      changes.value++;
      await plan(of, true);
    } else acting.value = { kind: "failed", of, error };
  }
}

export const closeActing = (): void => {
  acting.value = { kind: "none" };
};

const hear =
  (kind: "planning" | "doing") =>
  (line: AnswerLine): void => {
    const now = acting.value;
    if (now.kind !== kind) return;
    const check = watchedLine(now.check, line);
    if (check) acting.value = { ...now, check };
    else acting.value = { ...now, said: wordsOf(line) ?? now.said };
  };

function wordsOf(line: AnswerLine): string | null {
  switch (line.kind) {
    case "check-untrusted":
      return `Your check was not run, for you never gave it yourself: refloat inspect --verify '${line.command}'`;
    case "progress":
      return `Judging ${line.done} of ${line.total}`;
    case "of-commit":
      return String(line.line);
    case "stops-leftovers":
      return "Stopping what the dead session left running";
    default:
      return null;
  }
}
