// A chat server over HTTP: messages come in by POST, answers go out by POST to the platform. Everything between
// is the gateway's: receipts that are true, one turn at a time per conversation, recovery, drain, delivery.
import { createServer } from "node:http";
import { openGateway } from "refloat";
import { scriptedModel } from "./scripted-model.mjs";

/** Longer than any chat message; a body over it is not read to its end. */
const MAX_BODY_BYTES = 1_000_000;

/** `platform`: the address answers are posted to. Further options go to the gateway as they are. */
export async function startChatServer({ store, platform, tools, port = 0, ...options }) {
  const gateway = await openGateway(store, {
    name: "chat",
    agent: "scripted",
    answer: scriptedModel(tools),
    deliver: (delivery) => postTo(platform, delivery),
    isAttended: ({ route }) => route?.kind !== "webhook",
    // Whoever asked hears that his turn was left, and why; what is returned is delivered as an answer would be.
    onLeft: ({ why, text }) => (why === "asked-to-stop" ? null : text),
    onNotice: ({ level, session, text }) => console.error(`${level}: ${session ?? "gateway"}: ${text}`),
    ...options,
  });
  const server = createServer((request, response) => {
    handle(gateway, request).then(
      ([status, body]) => answer(response, status, body),
      (error) => answer(response, error.status ?? 503, { error: error.code ?? "E", message: error.message }),
    );
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    gateway,
    port: server.address().port,
    /** The drain: messages are stored to the end, answered by the next start. `isAsked`: a person ended us on purpose. */
    async close(timeoutMs, isAsked = false) {
      const end = await gateway.close({ timeoutMs, reason: "asked to end", isAsked });
      server.close();
      server.closeAllConnections();
      return end;
    },
  };
}

async function handle(gateway, request) {
  const body = await readJson(request);
  switch (`${request.method} ${request.url}`) {
    case "POST /messages": {
      // 202 only with a receipt: what could not be stored is an error, and the sender knows to send it again.
      const { session, id, text, route, from, confirms } = body;
      return [202, await gateway.receive({ session, id, input: text, route, from, confirms })];
    }
    case "POST /stop":
      return [200, { dropped: await gateway.stop(body.session, "the user asked to stop") }];
    case "POST /lift":
      await gateway.lift(body.session, "the operator said so");
      return [200, {}];
    case "POST /anew":
      return [200, { session: await gateway.startAnew(body.session, "the user wanted to begin anew") }];
    case "GET /start":
      return [200, await gateway.opened];
    default:
      return [404, { error: "no such address" }];
  }
}

async function readJson(request) {
  let text = "";
  for await (const bytes of request) {
    text += bytes;
    if (text.length > MAX_BODY_BYTES) throw Object.assign(new Error("too long"), { status: 413 });
  }
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch (error) {
    throw Object.assign(new Error("not JSON", { cause: error }), { status: 400 });
  }
}

/** Refused before anything was sent: certainly not there. Any other failure: it may have arrived. */
async function postTo(platform, delivery) {
  let response;
  try {
    response = await fetch(platform, { method: "POST", body: JSON.stringify(delivery) });
  } catch (error) {
    if (error.cause?.code === "ECONNREFUSED") return { kind: "not-sent", why: "nobody listens there" };
    throw error;
  }
  if (!response.ok) return { kind: "not-sent", why: `the platform answered ${response.status}` };
  return { kind: "delivered" };
}

function answer(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
