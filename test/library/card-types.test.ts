/** The card's types, held by the compiler (`npm run check:types`): what narrows, what is inferred, what is refused. */
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  isText,
  type JsonObject,
  type OtherPart,
  type OwnRecord,
  ownKind,
  type Part,
  type RefloatStore,
  type Session,
} from "../../src/index.ts";
import { partsOfInput, readParts } from "../../src/model/parts.ts";

test("a part narrows by its type, in a switch and in an if, and what is left over is any other", () => {
  const shown = (part: Part): string => {
    switch (part.type) {
      case "text":
        return part.text;
      case "thinking":
        expectTypeOf(part.signature).toEqualTypeOf<string | undefined>();
        return part.text;
      case "media":
        return part.media_type;
      default:
        expectTypeOf(part).toEqualTypeOf<OtherPart>();
        return part.type;
    }
  };
  expectTypeOf<Part[]>(partsOfInput([{ type: "of-tomorrow", field: 1 }]));
  const read = readParts([
    { type: "text", text: "a" },
    { type: "of-tomorrow" },
    { type: "text" },
    { text: "b" },
    7,
  ]);
  expectTypeOf(read.filter(isText)[0]?.text).toEqualTypeOf<string | undefined>();
  // What says that it is a text has one: the types are true of whatever a journal holds.
  const said = read.map(shown);
  if (JSON.stringify(said) !== JSON.stringify(["a", "of-tomorrow", "malformed", "malformed"]))
    throw new Error(`read as ${JSON.stringify(said)}`);
});

test("a text without text is refused where it is given", () => {
  for (const wrong of [{ type: "text" }, { type: "media", text: "x" }, { type: "thinking", text: 1 }])
    if (!codeOf(() => partsOfInput(wrong))) throw new Error(`taken: ${JSON.stringify(wrong)}`);
});

test("a kind's types follow from its schema", () => {
  const dated = ownKind("mine:dated", z.object({ at: z.string().transform((text) => new Date(text)) }));
  const use = (session: Session, store: RefloatStore): unknown[] => {
    expectTypeOf(session.records(dated)).toEqualTypeOf<AsyncGenerator<OwnRecord<{ at: Date }>>>();
    expectTypeOf(store.records("s", dated)).toEqualTypeOf<AsyncGenerator<OwnRecord<{ at: Date }>>>();
    expectTypeOf(session.records("mine:loose")).toEqualTypeOf<AsyncGenerator<OwnRecord<JsonObject>>>();
    // @ts-expect-error: the input of the schema, not its output
    const wrong = () => session.record(dated, { at: new Date() });
    return [wrong, session.record(dated, { at: "2026-11-18" })];
  };
  expectTypeOf(use).returns.toEqualTypeOf<unknown[]>();
});

function codeOf(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (thrown) {
    return (thrown as { code?: string }).code ?? null;
  }
}
