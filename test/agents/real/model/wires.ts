/**
 * An answer as each provider streams it. `held` is awaited in the middle of what the answer hangs in, once enough of it went out that an
 * agent has something to lose: it returns only when the model does not hang.
 */
import type { Body, Wire } from "./conversation.ts";
import type { Answer } from "./decide-answer.ts";

export interface Pace {
  /** Also answers that the script does not let hang do, in their text. */
  readonly hangsInAny: boolean;
  held(): Promise<void>;
}

type Events = AsyncGenerator<string>;

let ids = 0;
const newId = (prefix: string): string => `${prefix}${Date.now().toString(36)}${(++ids).toString(36)}`;

const words = (text: string): string[] => text.match(/\S+\s*/g) ?? [text];
const pieces = (text: string): string[] => text.match(/[\s\S]{1,40}/g) ?? [text];
const named = (type: string, data: Body): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
const bare = (data: Body): string => `data: ${JSON.stringify(data)}\n\n`;

/** How many words or pieces go out before the answer may hang. */
const BEFORE_HANGING = 24;

async function* paced(
  parts: readonly string[],
  in_: "text" | "arguments",
  { answer, pace }: { readonly answer: Answer; readonly pace: Pace },
): AsyncGenerator<string> {
  for (const [at, part] of parts.entries()) {
    const isThere = answer.hangsIn === in_ && at === BEFORE_HANGING;
    if (isThere || (pace.hangsInAny && in_ === "text" && at === 1)) await pace.held();
    yield part;
  }
}

export const WIRES: Readonly<Record<Wire, (answer: Answer, body: Body, pace: Pace) => Events>> = {
  chat,
  responses,
  anthropic,
  gemini,
};

async function* chat(answer: Answer, body: Body, pace: Pace): Events {
  const base = { id: newId("chatcmpl-"), object: "chat.completion.chunk", created: 0, model: body.model };
  const delta = (of: Body, finish: string | null = null): string =>
    bare({ ...base, choices: [{ index: 0, delta: of, finish_reason: finish }] });
  yield delta({ role: "assistant", content: "" });
  for await (const word of paced(words(answer.text), "text", { answer, pace }))
    yield delta({ content: word });
  for (const [index, { name, args }] of answer.calls.entries()) {
    const head = { index, id: newId("call_"), type: "function", function: { name, arguments: "" } };
    yield delta({ tool_calls: [head] });
    for await (const piece of paced(pieces(JSON.stringify(args)), "arguments", { answer, pace }))
      yield delta({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  yield delta({}, answer.calls.length > 0 ? "tool_calls" : "stop");
  yield bare({ ...base, choices: [], usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 } });
  yield "data: [DONE]\n\n";
}

async function* responses(answer: Answer, body: Body, pace: Pace): Events {
  const whole = { id: newId("resp_"), object: "response", created_at: 0, model: body.model };
  const response = { ...whole, status: "in_progress", output: [] };
  yield named("response.created", { response });
  yield named("response.in_progress", { response });
  const id = newId("msg_");
  const message = { id, type: "message", role: "assistant", status: "in_progress", content: [] };
  const at = { item_id: id, output_index: 0, content_index: 0 };
  yield named("response.output_item.added", { output_index: 0, item: message });
  const empty = { type: "output_text", text: "", annotations: [] };
  yield named("response.content_part.added", { ...at, part: empty });
  for await (const word of paced(words(answer.text), "text", { answer, pace }))
    yield named("response.output_text.delta", { ...at, delta: word });
  const part = { ...empty, text: answer.text };
  yield named("response.output_text.done", { ...at, text: answer.text });
  yield named("response.content_part.done", { ...at, part });
  const output: Body[] = [{ ...message, status: "completed", content: [part] }];
  yield named("response.output_item.done", { output_index: 0, item: output[0] });
  for (const { name, namespace, args } of answer.calls) {
    const item: Body = { id: newId("fc_"), type: "function_call", call_id: newId("call_"), name };
    if (namespace !== null) item.namespace = namespace;
    const text = JSON.stringify(args);
    const index = output.length;
    const added = { ...item, arguments: "", status: "in_progress" };
    yield named("response.output_item.added", { output_index: index, item: added });
    for await (const delta of paced(pieces(text), "arguments", { answer, pace }))
      yield named("response.function_call_arguments.delta", { item_id: item.id, output_index: index, delta });
    const over = { item_id: item.id, output_index: index, arguments: text };
    yield named("response.function_call_arguments.done", over);
    output.push({ ...item, arguments: text, status: "completed" });
    yield named("response.output_item.done", { output_index: index, item: output.at(-1) });
  }
  const details = {
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  };
  const usage = { input_tokens: 10, output_tokens: 10, total_tokens: 20, ...details };
  yield named("response.completed", { response: { ...whole, status: "completed", output, usage } });
}

async function* anthropic(answer: Answer, body: Body, pace: Pace): Events {
  const start = { id: newId("msg_mock"), type: "message", role: "assistant", model: body.model, content: [] };
  const usage = { input_tokens: 10, output_tokens: 1 };
  yield named("message_start", { message: { ...start, stop_reason: null, stop_sequence: null, usage } });
  yield named("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
  for await (const text of paced(words(answer.text), "text", { answer, pace }))
    yield named("content_block_delta", { index: 0, delta: { type: "text_delta", text } });
  yield named("content_block_stop", { index: 0 });
  for (const [before, { name, args }] of answer.calls.entries()) {
    const index = before + 1;
    const block = { type: "tool_use", id: newId("toolu_"), name, input: {} };
    yield named("content_block_start", { index, content_block: block });
    for await (const partial_json of paced(pieces(JSON.stringify(args)), "arguments", { answer, pace }))
      yield named("content_block_delta", { index, delta: { type: "input_json_delta", partial_json } });
    yield named("content_block_stop", { index });
  }
  const stop_reason = answer.calls.length > 0 ? "tool_use" : "end_turn";
  yield named("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 10 } });
  yield named("message_stop", {});
}

/** Its calls come whole: what hangs in the arguments hangs before the call. */
async function* gemini(answer: Answer, _body: Body, pace: Pace): Events {
  const piece = (parts: readonly Body[], finish: Body = {}): string =>
    bare({
      candidates: [{ content: { role: "model", parts }, index: 0, ...finish }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
      modelVersion: "mock",
      responseId: newId("r"),
    });
  for await (const text of paced(words(answer.text), "text", { answer, pace })) yield piece([{ text }]);
  for (const { name, args } of answer.calls) {
    if (answer.hangsIn === "arguments") await pace.held();
    yield piece([{ functionCall: { name, args, id: newId("fc") } }]);
  }
  yield piece([{ text: "" }], { finishReason: "STOP" });
}
