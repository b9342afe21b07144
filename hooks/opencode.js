/**
 * Tells refloat what happens in OpenCode: sessions, prompts, calls before and after. Every payload is
 * `{ sessionID, directory, worktree, ... }` with `input` and `output` of the hook, or `event` of the bus, as OpenCode hands them over.
 */
const EVENTS = ["session.created", "session.idle", "session.error", "session.compacted"];
const SHELL_TOOLS = ["bash", "shell"];

export const RefloatRecorder = async ({ directory, worktree }) => {
  const place = { directory, worktree };
  const sessionOf = (event) =>
    event?.properties?.sessionID ?? event?.properties?.info?.id ?? event?.properties?.info?.sessionID ?? null;
  return {
    event: async ({ event }) => {
      if (!EVENTS.includes(event?.type)) return;
      record("opencode", event.type, { sessionID: sessionOf(event), ...place, event });
    },
    "chat.message": async (input, output) => {
      record("opencode", "chat.message", { sessionID: input?.sessionID, ...place, input, output });
    },
    "tool.execute.before": async (input, output) => {
      const runs = SHELL_TOOLS.includes(input?.tool);
      record("opencode", "tool.execute.before", { sessionID: input?.sessionID, ...place, input, output }, runs);
    },
    "tool.execute.after": async (input, output) => {
      record("opencode", "tool.execute.after", { sessionID: input?.sessionID, ...place, input, output });
    },
  };
};
