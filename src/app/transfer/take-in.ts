/** What `store import` takes in: an export, a bundle, or a session that was sent, told by its first line. */
import { statSync } from "node:fs";
import type { AppPlace } from "../place/app-place.ts";
import { type ImportOrder, type ImportOutcome, importHere } from "../upkeep/import.ts";
import { readLines } from "../upkeep/read-lines.ts";
import { type ReceivedFile, receiveWhole, transferIn } from "./receive.ts";

export type TakenInHere =
  | { readonly kind: "import"; readonly outcome: ImportOutcome }
  | { readonly kind: "transfer"; readonly outcome: ReceivedFile };

export async function takeInHere(at: AppPlace, order: ImportOrder): Promise<TakenInHere> {
  const { from, isOwn } = order;
  if (typeof from === "string" && statSync(from, { throwIfNoEntry: false })?.isDirectory())
    return { kind: "import", outcome: await importHere(at, order) };
  const lines = readLines(from)[Symbol.asyncIterator]();
  const first = await lines.next();
  const header = first.done ? null : transferIn(first.value);
  async function* all(): AsyncGenerator<string> {
    if (!first.done) yield first.value;
    yield* { [Symbol.asyncIterator]: () => lines };
  }
  if (!header) return { kind: "import", outcome: await importHere(at, { ...order, lines: all() }) };
  return { kind: "transfer", outcome: await receiveWhole(at, header, all(), { isOwn }) };
}
