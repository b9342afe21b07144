/**
 * What was said about a state file from inside a sandbox, where neither the store nor a claim could be had: it is in the file's own
 * journal, and waits there for whoever may write the file (carry-out-said.ts). Reads only.
 */
import { READ_PAGE_ROWS } from "../model/limits.ts";
import { type BodyOf, bodyAs, type StoredRecord } from "../model/record.ts";
import type { Store } from "../store/store.ts";
import { identityOf } from "./claim-ids.ts";

export type SaidBody = BodyOf<"state.said">;
export type SaidOrder = SaidBody["order"];

export interface SaidToFile extends SaidBody {
  readonly id: string;
  readonly atMs: number;
}

export type AnsweredOrder = SaidToFile &
  ({ readonly outcome: "done" } | { readonly outcome: "refused"; readonly why: string });

export interface SaidAbout {
  /** What nobody carried out yet, oldest first. */
  readonly waiting: readonly SaidToFile[];
  /** What was refused and not said again since, oldest first. */
  readonly refused: readonly Extract<AnsweredOrder, { outcome: "refused" }>[];
}

/** Reads only, as far back as a page goes (T5): more than that nobody says in one go. */
export async function saidAbout(store: Store, file: string): Promise<SaidAbout> {
  const records = await saidRecords(store, file);
  const answers = new Map(
    records.flatMap((record) => {
      const body = bodyAs(record, "state.answered");
      return body ? [[body.said, body] as const] : [];
    }),
  );
  const said = records.flatMap(saidIn);
  return {
    waiting: said.filter(({ id }) => !answers.has(id)),
    refused: said.flatMap((one, at) => {
      const answer = answers.get(one.id);
      const isOver = said.slice(at + 1).some(({ order }) => isOfSame(order, one.order));
      if (answer?.outcome !== "refused" || isOver) return [];
      return [{ ...one, outcome: "refused" as const, why: answer.why ?? "" }];
    }),
  };
}

async function saidRecords(store: Store, file: string): Promise<readonly StoredRecord[]> {
  const kinds = ["state.said", "state.answered"] as const;
  const query = {
    session: identityOf(file).session,
    kinds,
    order: "backward",
    limit: READ_PAGE_ROWS,
  } as const;
  return (await store.records(query)).toReversed().filter((one) => !one.isDamaged && !one.isForgotten);
}

function saidIn(record: StoredRecord): readonly SaidToFile[] {
  const body = bodyAs(record, "state.said");
  return body ? [{ ...body, id: record.id, atMs: record.atMs }] : [];
}

const isOfSame = (a: SaidOrder, b: SaidOrder): boolean =>
  a.kind === "step" ? b.kind === "step" && a.step === b.step : b.kind === "decided" && a.key === b.key;
