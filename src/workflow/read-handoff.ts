/** What a 00-handoff.md says, whoever wrote it: how far the work was, when, which steps were ticked off. */
import { dotted } from "./step-list.ts";

export interface HandoffFacts {
  /** The last step it calls complete, or the one it calls current. */
  readonly step: number | null;
  readonly updatedMs: number | null;
  readonly done: readonly { readonly step: string; readonly artifacts: readonly string[] }[];
}

/** A companion of a few pages; what lies behind this is not looked at. */
const MAX_READ_CHARS = 200_000;

export function readHandoff(whole: string): HandoffFacts {
  const text = whole.slice(0, MAX_READ_CHARS);
  const step =
    /^# .*\(Step (\d+(?:[._]\d+)?)\b[^)]*\)/m.exec(text)?.[1] ??
    /^Current Step: *(\d+(?:[._]\d+)?)/m.exec(text)?.[1];
  const updatedMs = Date.parse(/^Updated: *([^|\n]+?) *(?:\||$)/m.exec(text)?.[1] ?? "");
  const done = [...text.matchAll(/^- \[x\] Step (\d+(?:[._]\d+)?)\b(.*)$/gim)].map(
    ([, id = "", rest = ""]) => ({
      step: dotted(id),
      artifacts: [...rest.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path),
    }),
  );
  return {
    step: step === undefined ? null : Number(dotted(step)),
    updatedMs: Number.isNaN(updatedMs) ? null : updatedMs,
    done,
  };
}
