/** What is parked, as every face's data has it (S7): what was written about it without secrets (T4), its paths as they are. */
import type { ParkedChanges } from "../../acts/plans/parked.ts";
import { type PathJson, pathJson } from "../../model/path-name.ts";
import { withoutSecrets } from "../../text/without-secrets.ts";
import type { ParkedHere } from "./parked.ts";

export interface ParkedRow extends ParkedChanges {
  /** The tree it lay in, where that is another than this; null: this one. */
  readonly from: string | null;
}

export interface ToldParked {
  readonly name: string;
  readonly plan: string;
  readonly session: string | null;
  readonly at: string;
  readonly note: string | null;
  readonly verdict: string | null;
  readonly why: string | null;
  /** As `inspect` has them: what the verdict rested on when it was parked. */
  readonly reasons: ParkedChanges["reasons"];
  readonly paths: readonly PathJson[];
  readonly from?: string;
}

export async function parkedRows({ parked, plans }: ParkedHere): Promise<ParkedRow[]> {
  // What was written about it, and what the judge quoted; paths and bytes stay what they are.
  const { value: words } = await withoutSecrets(
    parked.map(({ note, why, reasons }) => ({ note, why, reasons })),
  );
  const elsewhere = new Map(plans.filter((one) => one.isOfOtherTree).map(({ id, path }) => [id, path]));
  return parked.map((one, i) => ({ ...one, ...words[i], from: elsewhere.get(one.plan) ?? null }));
}

export const parkedJson = (row: ParkedRow): ToldParked => {
  const { name, plan, session, atMs, note, verdict, why, reasons, puts, from } = row;
  return {
    ...{ name, plan, session, at: new Date(atMs).toISOString(), note, verdict, why, reasons },
    paths: puts.map(({ path }) => pathJson(path)),
    ...(from === null ? {} : { from }),
  };
};
