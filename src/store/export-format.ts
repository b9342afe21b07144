/**
 * The lines of an export (JSONL, schema refloat.export/1), one definition for writer and reader:
 *   header, then per session: session, contents before the record that names them, records in order; end.
 * The last line counts what came before it, so that a cut-off export is noticed.
 */
import { z } from "zod";

export const EXPORT_SCHEMA = "refloat.export/1";

const base64 = z.string();
/** Each taking adds one: more than this no session comes to, and beyond 2^53 two attempts would be the same number (K1). */
const attempt = z
  .number()
  .int()
  .min(0)
  .max(2 ** 31 - 1);
const hash = z.string().regex(/^[0-9a-f]{64}$/);

const transferHead = z.looseObject({
  /** Made once, by the store that sends: also a name of files, so nothing else may stand in it. */
  id: z.string().regex(/^[0-9a-z]{20}$/),
  session: z.string(),
  /** The one store it may go to; null: whichever has it. */
  for: z.string().nullable(),
});
export type TransferHead = z.infer<typeof transferHead>;

export const exportLine = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("header"),
    schema: z.literal(EXPORT_SCHEMA),
    store: z.string(),
    redacted: z.boolean(),
    /** It is one session on its way from one store to another, and not a copy; left out: an export. */
    transfer: transferHead.optional(),
  }),
  z.looseObject({
    type: z.literal("session"),
    id: z.string(),
    attempt,
    head: z.number().int(),
  }),
  z.looseObject({ type: z.literal("chunk"), hash, data: base64 }),
  z.looseObject({ type: z.literal("content"), hash, bytes: z.number().int().min(0), chunks: z.array(hash) }),
  z.looseObject({
    type: z.literal("record"),
    session: z.string(),
    seq: z.number().int().positive(),
    id: z.string(),
    kind: z.string(),
    attempt: attempt.nullable(),
    at_ms: z.number(),
    body: z.looseObject({}),
    contents: z.array(z.looseObject({ hash, path: z.string().nullable() })),
    forgotten: z.boolean().optional(),
    /** Secrets were taken out of the body: it is not the original and never replaces one. */
    redacted: z.boolean().optional(),
    /** The row did not verify; its body is lost. */
    damaged: z.boolean().optional(),
  }),
  z.looseObject({ type: z.literal("end"), sessions: z.number().int(), records: z.number().int() }),
]);

export type ExportLine = z.infer<typeof exportLine>;
export type RecordLine = Extract<ExportLine, { type: "record" }>;
