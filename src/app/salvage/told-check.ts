/** Whether the user's check is in the verdicts, as every face's data has it (S7): run now, its last run, or not run. Null: there is none. */
import type { CheckedSalvage } from "../../salvage/check/checked-salvage.ts";
import { redact } from "../../text/redact.ts";

export interface ToldCheck {
  readonly command: string;
  readonly state: "run" | "kept" | "not-run";
}

export async function toldCheck({ checked }: Pick<CheckedSalvage, "checked">): Promise<ToldCheck | null> {
  if (checked.kind === "none") return null;
  return { command: (await redact(checked.command)).text, state: checked.kind };
}
