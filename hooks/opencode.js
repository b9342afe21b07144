/**
 * Tells refloat what happens in OpenCode: sessions, prompts, calls before and after. Every payload is
 * `{ sessionID, directory, worktree, ... }` with `input` and `output` of the hook, or `event` of the bus, as OpenCode hands them over; in a
 * subagent's session with `parentID`, which OpenCode says only when that session begins or changes.
 */
const EVENTS = ["session.created", "session.idle", "session.error", "session.compacted"];
const SHELL_TOOLS = ["bash", "shell"];
/** Subagents' sessions whose parent is remembered, the newest. */
const MAX_CHILDREN = 1000;

export const RefloatRecorder = async ({ directory, worktree }) => {
  const parents = new Map();
  const learn = (info) => {
    if (!info?.id || !info.parentID) return;
    parents.set(info.id, info.parentID);
    if (parents.size > MAX_CHILDREN) parents.delete(parents.keys().next().value);
  };
  const about = (sessionID) => {
    const parentID = parents.get(sessionID);
    return { sessionID, ...(parentID === undefined ? {} : { parentID }), directory, worktree };
  };
  const sessionOf = (event) =>
    event?.properties?.sessionID ?? event?.properties?.info?.id ?? event?.properties?.info?.sessionID ?? null;
  return {
    event: async ({ event }) => {
      learn(event?.properties?.info);
      if (!EVENTS.includes(event?.type)) return;
      record("opencode", event.type, { ...about(sessionOf(event)), event });
    },
    "chat.message": async (input, output) => {
      record("opencode", "chat.message", { ...about(input?.sessionID), input, output });
    },
    "tool.execute.before": async (input, output) => {
      const runs = SHELL_TOOLS.includes(input?.tool);
      record("opencode", "tool.execute.before", { ...about(input?.sessionID), input, output }, runs);
    },
    "tool.execute.after": async (input, output) => {
      record("opencode", "tool.execute.after", { ...about(input?.sessionID), input, output });
    },
  };
};
