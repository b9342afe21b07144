/**
 * What is read of the messages of ACP, which both of its ends may write as they like (T3). A field of another form than the protocol's is as
 * if it were not there, and an item of a list costs itself; a message without what it is about is odd, and is named. Pure.
 */
import { z } from "zod";
import { isJsonObject, type JsonObject } from "../../model/json.ts";

const text = z.string().min(1);
const maybeText = z.string().nullable().catch(null);
const jsonObject = z.custom<JsonObject>(isJsonObject);

/** Items that are none of these are left out. */
const listOf = <Item extends z.ZodType>(item: Item) =>
  z.array(z.unknown()).transform((items) =>
    items.flatMap((one): z.output<Item>[] => {
      const read = item.safeParse(one);
      return read.success ? [read.data] : [];
    }),
  );

const resource = z.object({ text: maybeText, uri: maybeText });

/** A block of a message, for people; one of no form is nothing. */
const blockText = z
  .object({ type: maybeText, text: maybeText, uri: maybeText, resource: resource.nullable().catch(null) })
  .transform(({ type, text: own, uri, resource: inside }) => {
    const from = inside ?? { text: null, uri };
    return own ?? from.text ?? `[${type ?? "block"}${from.uri === null ? "" : ` ${from.uri}`}]`;
  })
  .catch("");

const content = z.discriminatedUnion("type", [
  z.object({ type: z.literal("content"), content: blockText }),
  z.object({ type: z.literal("diff"), path: text, oldText: maybeText, newText: maybeText }),
]);

const call = z.object({
  toolCallId: text,
  title: maybeText,
  kind: maybeText,
  status: maybeText,
  rawInput: jsonObject.nullable().catch(null),
  rawOutput: z.unknown().optional(),
  locations: listOf(z.object({ path: text }).transform(({ path }) => path))
    .nullable()
    .catch(null),
  content: listOf(content).nullable().catch(null),
});

const update = z.discriminatedUnion("sessionUpdate", [
  z.object({ sessionUpdate: z.literal("agent_message_chunk"), content: blockText }),
  call.extend({ sessionUpdate: z.literal("tool_call") }),
  call.extend({ sessionUpdate: z.literal("tool_call_update") }),
  z.object({
    sessionUpdate: z.literal("plan"),
    entries: listOf(z.object({ content: z.string(), status: maybeText })),
  }),
]);

export type AcpCall = z.output<typeof call>;
export type AcpContent = z.output<typeof content>;
export type AcpUpdate = z.output<typeof update>;

/** `other`: nobody here hears that kind. `odd`: what is wrong with it, without any of its words. */
export type Read<T> =
  | { readonly kind: "read"; readonly value: T }
  | { readonly kind: "other" }
  | { readonly kind: "odd"; readonly why: string };

const HEARD: ReadonlySet<unknown> = new Set(update.options.map((one) => one.shape.sessionUpdate.value));

export function readUpdate(said: unknown): Read<AcpUpdate> {
  if (!isJsonObject(said)) return { kind: "odd", why: "a session/update without its update" };
  const { sessionUpdate } = said;
  return HEARD.has(sessionUpdate) ? read(update, said, `a ${String(sessionUpdate)}`) : { kind: "other" };
}

export const readCall = (said: unknown): Read<AcpCall> => read(call, said, "a request for leave");

function read<T>(schema: z.ZodType<T>, said: unknown, what: string): Read<T> {
  const parsed = schema.safeParse(said);
  if (parsed.success) return { kind: "read", value: parsed.data };
  const at = parsed.error.issues.map(({ path }) => path.join(".")).filter((one) => one !== "");
  return { kind: "odd", why: `${what} whose ${at.join(", ") || "form"} is of another form than ACP's` };
}

export const readBlocks = (said: unknown): readonly string[] => listOf(blockText).catch([]).parse(said);

const choice = z.object({ outcome: z.object({ outcome: z.literal("selected"), optionId: z.string() }) });
const options = listOf(z.object({ optionId: z.string(), name: z.string(), kind: maybeText })).catch([]);

/** Which of the options was chosen, by its name. */
export function readChoice(result: unknown, given: unknown): string {
  const read = choice.safeParse(result);
  if (!read.success) return "cancelled";
  const { optionId } = read.data.outcome;
  const chosen = options.parse(given).find((one) => one.optionId === optionId);
  return chosen ? `${chosen.name}${chosen.kind === null ? "" : ` (${chosen.kind})`}` : optionId;
}
