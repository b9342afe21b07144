// A model that needs no network: it answers by rules and uses tools, so that the example runs anywhere and a
// test knows what it will do. It sees what a real one would: the conversation, and the note about an interruption.
import { setTimeout as sleep } from "node:timers/promises";

/** The text of the last thing a person said, and the calls made since. */
function lastRequest(view) {
  const from = view.items.findLastIndex((item) => item.kind === "message" && item.role === "user");
  const parts = from < 0 ? [] : view.items[from].parts;
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const calls = view.items.slice(from + 1).filter((item) => item.kind === "call");
  return { text, calls };
}

/** Runs a tool between two durable records: its start before, its result after (C2). */
async function useTool(turn, tools, tool, input) {
  const call = await turn.call({ tool, input });
  try {
    const output = await tools[tool](input);
    await call.result(output);
    return output;
  } catch (error) {
    await call.failed(error);
    throw error;
  }
}

/** Several steps, each a call. After an interruption it goes on at the first step without a recorded result. */
async function work({ turn, signal, isAttended }, tools, calls, steps) {
  for (let step = 1; step <= steps; step++) {
    const before = calls.filter((call) => call.tool === "work" && call.input.step === step);
    if (before.some((call) => call.result?.status === "done")) continue;
    if (before.length > 0 && isAttended)
      return `Step ${step} of ${steps} may have happened. Shall I do it again?`;
    signal.throwIfAborted();
    await useTool(turn, tools, "work", { step });
  }
  return `Did ${steps} steps.`;
}

async function reboot({ turn, confirm }, tools) {
  const confirmation = await confirm("reboot", "Really reboot?");
  if (confirmation.kind === "ask") return confirmation.question;
  await useTool(turn, tools, "reboot", {});
  return "Rebooted.";
}

async function restart({ turn }, tools, calls) {
  if (calls.some((call) => call.tool === "restart")) return "The restart was ordered before; not again.";
  await useTool(turn, tools, "restart", {});
  return "Restarted.";
}

/** The gateway's `answer`: one turn. `tools` are functions by name. */
export function scriptedModel(tools) {
  return async (context) => {
    const { text, calls } = lastRequest(context.session.view("model"));
    const [word = "", amount = ""] = text.split(" ");
    const reply = (answer) => ({
      kind: "reply",
      parts: context.note === null ? answer : `(interrupted before) ${answer}`,
    });
    switch (word) {
      case "work":
        return reply(await work(context, tools, calls, Number(amount)));
      case "reboot":
      case "yes":
        return reply(await reboot(context, tools));
      case "restart":
        return reply(await restart(context, tools, calls));
      case "wait":
        await sleep(Number(amount), null, { signal: context.signal });
        return reply(`Waited for: ${text}`);
      case "fail":
        throw new Error("the model failed");
      case "hush":
        return { kind: "silent" };
      default:
        return reply(`You said: ${text}`);
    }
  };
}
