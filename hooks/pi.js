/**
 * Tells refloat what happens in pi: sessions, prompts, calls before and after, the end of the work. Every payload is
 * `{ session_id, session_file, cwd, event }` with pi's own event; of `agent_end`, which has the whole conversation in it, only how its
 * last answer ended and what it said.
 */
const EVENTS = ["session_start", "session_shutdown", "tool_result"];

function lastAnswer(event) {
  const answers = (event?.messages ?? []).filter((message) => message?.role === "assistant");
  const { stopReason = null, content = [] } = answers[answers.length - 1] ?? {};
  return { type: event?.type, stopReason, content };
}

export default function refloatRecorder(pi) {
  const told = (event, context) => {
    const session = context?.sessionManager;
    return {
      session_id: session?.getSessionId?.() ?? null,
      session_file: session?.getSessionFile?.() ?? null,
      cwd: context?.cwd ?? null,
      event,
    };
  };
  const on = (name, listen) => {
    try {
      pi.on(name, async (event, context) => {
        try {
          return listen(event, context);
        } catch {
          // What pi hands over may change; its work goes on.
          return undefined;
        }
      });
    } catch {
      // An event that this version does not know.
    }
  };
  const tell = (name, { by = () => undefined, kept = (event) => event } = {}) =>
    on(name, (event, context) => {
      record("pi", name, told(kept(event), context), by(event, context));
    });
  for (const name of EVENTS) tell(name);
  tell("agent_end", { kept: lastAnswer, by: (_event, context) => ({ cwd: context?.cwd }) });
  tell("tool_call", {
    by: (event, context) => (event?.toolName === "bash" ? { cwd: context?.cwd } : undefined),
  });

  // Told with the prompt that comes first, as a message of its own beside it.
  let notice = null;
  on("input", (event, context) => {
    const payload = told(event, context);
    const by = { cwd: payload.cwd, word: wordFor(payload.session_id) };
    notice = record("pi", "input", payload, by) ?? notice;
  });
  on("before_agent_start", (_event, context) => {
    if (notice === null) return undefined;
    const { model, person } = notice;
    notice = null;
    context?.ui?.notify?.(person, "warning");
    return { message: { customType: "refloat", content: model, display: false } };
  });
  on("session_compact", (event, context) => {
    const payload = told(event, context);
    record("pi", "session_compact", payload);
    remember(words, payload.session_id, "shortened");
  });
}
