/**
 * Tells refloat what happens in pi: sessions, prompts, calls before and after, the end of the work. Every payload is
 * `{ session_id, session_file, cwd, event }` with pi's own event.
 */
const EVENTS = ["session_start", "session_shutdown", "session_compact", "input", "tool_result", "agent_settled"];

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
  const tell = (name, runs) => {
    try {
      pi.on(name, async (event, context) => {
        try {
          record("pi", name, told(event, context), runs(event));
        } catch {
          // What pi hands over may change; its work goes on.
        }
      });
    } catch {
      // An event that this version does not know.
    }
  };
  for (const name of EVENTS) tell(name, () => false);
  tell("tool_call", (event) => event?.toolName === "bash");
}
