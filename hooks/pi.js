/**
 * Tells refloat what happens in pi: sessions, prompts, calls before and after, the end of the work. Every payload is
 * `{ session_id, session_file, cwd, event }` with pi's own event; of `agent_end`, which has the whole conversation in it, only how its
 * last answer ended and what it said.
 */
const EVENTS = ["session_start", "session_shutdown", "session_compact", "input", "tool_result"];

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
  const tell = (name, { runs = () => false, kept = (event) => event } = {}) => {
    try {
      pi.on(name, async (event, context) => {
        try {
          record("pi", name, told(kept(event), context), runs(event));
        } catch {
          // What pi hands over may change; its work goes on.
        }
      });
    } catch {
      // An event that this version does not know.
    }
  };
  for (const name of EVENTS) tell(name);
  tell("agent_end", { kept: lastAnswer });
  tell("tool_call", { runs: (event) => event?.toolName === "bash" });
}
