/** The model: four providers' wires on one loopback port, no state but what it was asked and whether it hangs. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Body, type Item, itemsOf, type Wire, wireOf } from "./conversation.ts";
import { type Answer, decideAnswer } from "./decide-answer.ts";
import { type Pace, WIRES } from "./wires.ts";

export interface Asked {
  readonly wire: Wire;
  readonly body: Body;
  readonly items: readonly Item[];
  readonly answer: Answer;
}

export type Hanging = "scripted" | "all" | "none";

export interface MockModel {
  readonly port: number;
  /** Every request with tools in it, in order. */
  readonly asked: readonly Asked[];
  /** Whether an answer is held back in its middle now. */
  readonly isHeld: boolean;
  /** From now on: which answers hang. */
  hang(which: Hanging): void;
}

export async function startModel(folder: string): Promise<MockModel> {
  const asked: Asked[] = [];
  const state = { hanging: "scripted" as Hanging, held: 0 };
  const pace: Pace = {
    get hangsInAny() {
      return state.hanging === "all";
    },
    held: async () => {
      if (state.hanging === "none") return;
      state.held += 1;
      await new Promise(() => undefined);
    },
  };
  const server = createServer((request, response) => {
    void answered(request, response).catch((thrown) => response.destroy(thrown));
  });
  async function answered(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const url = request.url ?? "";
    const wire = wireOf(url);
    if (wire === null) {
      aside(url, response);
      return;
    }
    const answer = decideAnswer(wire, body, { folder, isSlow: state.hanging === "scripted" });
    if (!answer.isAside) asked.push({ wire, body, items: itemsOf(wire, body), answer });
    const isStream = wire === "gemini" ? /streamGenerate/.test(url) : body.stream === true;
    if (!isStream) {
      sent(response, wholeAnswer(wire, answer));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    for await (const event of WIRES[wire](answer, body, pace)) {
      if (response.destroyed) return;
      response.write(event);
    }
    response.end();
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    get isHeld() {
      return state.held > 0;
    },
    hang: (which) => {
      state.hanging = which;
      state.held = 0;
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const text = Buffer.concat(pieces).toString("utf8");
  return text.startsWith("{") ? (JSON.parse(text) as Body) : {};
}

function sent(response: ServerResponse, value: Body, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function aside(url: string, response: ServerResponse): void {
  const isCount = /count_?[tT]okens/.test(url);
  const isKnown = isCount || /\/models/.test(url);
  const model = { id: "mock-1", object: "model", type: "model", display_name: "mock", created: 0 };
  const models = { object: "list", data: [model], models: [{ name: "models/mock-1" }] };
  const unknown = { error: { message: "mock: no such path" } };
  const known = isCount ? { input_tokens: 10, totalTokens: 10 } : models;
  sent(response, isKnown ? known : unknown, isKnown ? 200 : 404);
}

/** Asked for without a stream: titles and the like, which no script needs. */
function wholeAnswer(wire: Wire, { text }: Answer): Body {
  const usage = {
    input_tokens: 1,
    output_tokens: 1,
    prompt_tokens: 1,
    completion_tokens: 1,
    total_tokens: 2,
  };
  const role = "assistant";
  switch (wire) {
    case "chat":
      return {
        ...{ id: "c1", object: "chat.completion", created: 0, model: "mock-1", usage },
        choices: [{ index: 0, finish_reason: "stop", message: { role, content: text } }],
      };
    case "responses":
      return {
        ...{ id: "r1", object: "response", status: "completed", usage },
        output: [{ id: "m1", type: "message", role, content: [{ type: "output_text", text }] }],
      };
    case "anthropic":
      return {
        ...{ id: "m1", type: "message", role, model: "mock-1", usage },
        ...{ content: [{ type: "text", text }], stop_reason: "end_turn", stop_sequence: null },
      };
    case "gemini":
      return {
        candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0, finishReason: "STOP" }],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      };
  }
}
