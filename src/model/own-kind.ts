/**
 * Kinds of record that a caller of the library makes up. They are named after his program, `poll.vote` or `poll:vote`; a first word that
 * kinds of ours have is refused, so that a later refloat's cannot easily be taken for them, nor they for its (D5). To the
 * conversation, the projections and recovery they say nothing; of a forgotten one no field is kept.
 */
import { RefloatError } from "./errors.ts";
import { parseId } from "./ids.ts";
import { RECORD_KINDS } from "./record.ts";
import { assertSchema, type StandardSchema } from "./standard-schema.ts";

/** A kind with the schema of its bodies: what is recorded fits it, what is read is what it makes of that. */
export interface OwnKind<Input = unknown, Output = Input> {
  readonly kind: string;
  readonly schema: StandardSchema<Input, Output>;
}

const NAME = /^([^.:]+)[.:](?=.*[^.:]$)/s;

/** First words of refloat's own kinds: `turn` of `turn.ended`. */
const OURS: ReadonlySet<string> = new Set(
  Object.keys(RECORD_KINDS).map((kind) => kind.split(".", 1)[0] ?? ""),
);

/** Whether a caller made it up. */
export function isOwnKindName(kind: string): boolean {
  const [, program] = NAME.exec(kind) ?? [];
  return program !== undefined && !OURS.has(program);
}

/** Types follow from the schema, whichever library made it. */
export function ownKind<Input, Output>(
  kind: string,
  schema: StandardSchema<Input, Output>,
): OwnKind<Input, Output> {
  assertSchema(schema);
  return { kind: ownKindName(kind), schema };
}

export function ownKindName(kind: string): string {
  parseId("kind", kind);
  if (isOwnKindName(kind)) return kind;
  throw new RefloatError("E_BAD_RECORD", {
    kind,
    why: "it is, or could be, a kind of refloat's own; name yours after your program, as in `poll.vote`",
  });
}
