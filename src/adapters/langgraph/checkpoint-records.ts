/**
 * What a checkpoint is in a journal. One record each: the checkpoint without its values, and the values that are new in it. A value
 * that did not change is named by the record that holds it; a list that only grew is kept as what was added (the framework hands
 * over the whole conversation at every step, and writing it each time would cost more with every message).
 *
 * Values are resolved along the checkpoint's own ancestors, never by version numbers: two branches of one thread count alike.
 */
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import type { JsonObject } from "../../model/json.ts";
import type { StoredRecord } from "../../model/record.ts";

export const CHECKPOINT_KIND = "langgraph.checkpoint";
export const WRITES_KIND = "langgraph.writes";

/** The framework's own serialization: its type, and its bytes as text (`json`) or in base64. */
const typed = z.tuple([z.string(), z.string()]);
export type TypedText = z.infer<typeof typed>;

const kept = z.union([
  z.object({ whole: typed }),
  z.object({
    /** The first `keep` items of the list in that record (null: of none), then these. */
    list: z.array(typed),
    keep: z.number().int(),
    base: z.number().int().nullable(),
    /** The oldest record that is needed, and how many lead from it to this one. */
    start: z.number().int().nullable(),
    links: z.number().int(),
  }),
]);
export type KeptValue = z.infer<typeof kept>;

const checkpointBody = z.looseObject({
  thread: z.string(),
  ns: z.string(),
  checkpoint: z.string(),
  parent: z.string().nullable(),
  /** Of one that is put again: where it was put first. Its pending writes may lie after that. */
  first: z.number().int().nullable(),
  rest: typed,
  metadata: typed,
  values: z.record(z.string(), kept),
  same: z.record(z.string(), z.number().int()),
});

const writesBody = z.looseObject({
  ns: z.string(),
  checkpoint: z.string(),
  task: z.string(),
  writes: z.array(z.tuple([z.string(), z.number().int(), typed])),
});

export type CheckpointBody = z.infer<typeof checkpointBody>;
export type WritesBody = z.infer<typeof writesBody>;
export type KeptCheckpoint = CheckpointBody & { readonly seq: number };

/** Null: of another kind, forgotten, or damaged (D5). */
export function readCheckpoint({ kind, body, seq, isForgotten }: StoredRecord): KeptCheckpoint | null {
  if (kind !== CHECKPOINT_KIND || isForgotten) return null;
  const parsed = checkpointBody.safeParse(body);
  return parsed.success ? { ...parsed.data, seq } : null;
}

export function readWrites({ kind, body, isForgotten }: StoredRecord): WritesBody | null {
  if (kind !== WRITES_KIND || isForgotten) return null;
  return writesBody.safeParse(body).data ?? null;
}

export const asBody = (body: CheckpointBody | WritesBody): JsonObject => body as unknown as JsonObject;

const TEXT = new TextDecoder("utf-8", { fatal: true });

export async function dump(serde: SerializerProtocol, value: unknown): Promise<TypedText> {
  const [type, bytes] = await serde.dumpsTyped(value);
  return [type, type === "json" ? TEXT.decode(bytes) : Buffer.from(bytes).toString("base64")];
}

export function load(serde: SerializerProtocol, [type, text]: TypedText): Promise<unknown> {
  return serde.loadsTyped(type, type === "json" ? text : Buffer.from(text, "base64"));
}

/** Where each value of a checkpoint lies: in itself, or in an ancestor's record. */
export function placesOf({ seq, values, same }: KeptCheckpoint): Map<string, number> {
  return new Map([...Object.entries(same), ...Object.keys(values).map((name) => [name, seq] as const)]);
}
