/**
 * What a request to a model holds, whatever its wire: texts, calls and results in order, the tools on offer. And whether the provider
 * would take it: every call with one result right behind it, no result without its call, no empty answer.
 */
// biome-ignore lint/suspicious/noExplicitAny: the agents' requests are read as they come.
export type Body = Record<string, any>;

export type Wire = "chat" | "responses" | "anthropic" | "gemini";

export type Item =
  | { readonly kind: "text"; readonly role: "user" | "assistant" | "system"; readonly text: string }
  | { readonly kind: "call"; readonly id: string }
  | { readonly kind: "result"; readonly id: string };

export interface OfferedTool {
  readonly name: string;
  readonly schema: Body;
  readonly namespace: string | null;
}

export function wireOf(url: string): Wire | null {
  if (/\/chat\/completions/.test(url)) return "chat";
  if (/\/responses(\?|$)/.test(url)) return "responses";
  if (/\/messages(\?|$)/.test(url)) return "anthropic";
  return /[gG]enerateContent/.test(url) ? "gemini" : null;
}

const textOf = (content: unknown): string => {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((part) => part?.text ?? "").join("\n") : "";
};

export function itemsOf(wire: Wire, body: Body): Item[] {
  switch (wire) {
    case "chat":
      return (body.messages ?? []).flatMap(chatItems);
    case "responses":
      return (Array.isArray(body.input) ? body.input : []).flatMap(responsesItems);
    case "anthropic":
      return (body.messages ?? []).flatMap(anthropicItems);
    case "gemini":
      return (body.contents ?? []).flatMap(geminiItems);
  }
}

function chatItems(message: Body): Item[] {
  if (message.role === "tool") return [{ kind: "result", id: String(message.tool_call_id) }];
  const calls: Item[] = (message.tool_calls ?? []).map((call: Body) => ({
    kind: "call",
    id: String(call.id),
  }));
  const text = textOf(message.content);
  const role = message.role === "user" || message.role === "assistant" ? message.role : "system";
  return [...(calls.length > 0 && text === "" ? [] : [{ kind: "text", role, text } as const]), ...calls];
}

function responsesItems(item: Body): Item[] {
  const type = String(item.type ?? "message");
  if (/_call_output$/.test(type)) return [{ kind: "result", id: String(item.call_id) }];
  if (/_call$/.test(type)) return [{ kind: "call", id: String(item.call_id) }];
  if (type !== "message") return [];
  const role = item.role === "user" || item.role === "assistant" ? item.role : "system";
  return [{ kind: "text", role, text: textOf(item.content) }];
}

function anthropicItems(message: Body): Item[] {
  const role = message.role === "assistant" ? "assistant" : "user";
  if (typeof message.content === "string") return [{ kind: "text", role, text: message.content }];
  return (message.content ?? []).flatMap((part: Body): Item[] => {
    if (part.type === "tool_use") return [{ kind: "call", id: String(part.id) }];
    if (part.type === "tool_result") return [{ kind: "result", id: String(part.tool_use_id) }];
    return part.type === "text" ? [{ kind: "text", role, text: String(part.text) }] : [];
  });
}

/** Gemini's calls have no ids on the wire; name and order tell which is which. */
function geminiItems(content: Body): Item[] {
  const role = content.role === "model" ? "assistant" : "user";
  return (content.parts ?? []).flatMap((part: Body): Item[] => {
    if (part.functionCall) return [{ kind: "call", id: String(part.functionCall.name) }];
    if (part.functionResponse) return [{ kind: "result", id: String(part.functionResponse.name) }];
    return typeof part.text === "string" ? [{ kind: "text", role, text: part.text }] : [];
  });
}

export function offeredTools(wire: Wire, body: Body): OfferedTool[] {
  const named = (tool: Body, schema: unknown, namespace: string | null = null): OfferedTool => ({
    name: String(tool.name),
    schema: (schema ?? {}) as Body,
    namespace,
  });
  const tools: Body[] = body.tools ?? [];
  switch (wire) {
    case "chat":
      return tools.map((tool) => named(tool.function ?? tool, tool.function?.parameters));
    case "responses":
      return tools
        .flatMap((tool) =>
          tool.type === "namespace" ? tool.tools.map((one: Body) => ({ ...one, of: tool.name })) : [tool],
        )
        .filter((tool) => tool.type === "function")
        .map((tool) => named(tool, tool.parameters, tool.of ?? null));
    case "anthropic":
      return tools.map((tool) => named(tool, tool.input_schema));
    case "gemini":
      return tools
        .flatMap((tool) => tool.functionDeclarations ?? [])
        .map((tool) => named(tool, tool.parametersJsonSchema ?? tool.parameters));
  }
}

/** What a provider would refuse, in words; empty: it would take it. */
export function faultsOf(items: readonly Item[]): string[] {
  const faults: string[] = [];
  let open: string[] = [];
  let isAnswering = false;
  for (const item of items) {
    if (item.kind === "result") {
      isAnswering = true;
      const at = open.indexOf(item.id);
      if (at === -1) faults.push(`a result without its call: ${item.id}`);
      else open.splice(at, 1);
      continue;
    }
    const goesOn = item.kind === "call" && !isAnswering;
    if (!goesOn && open.length > 0) {
      faults.push(`a call without its result: ${open.join(", ")}`);
      open = [];
    }
    isAnswering = false;
    if (item.kind === "call") open.push(item.id);
    else if (item.role === "assistant" && item.text.trim() === "") faults.push("an empty answer");
  }
  return open.length > 0 ? [...faults, `a call without its result: ${open.join(", ")}`] : faults;
}

/** Every text of a request, wherever it stands. */
export function allText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  return Object.values(value).map(allText).join("\n");
}
