/**
 * Tells refloat what happens in OpenCode: sessions, prompts, calls before and after. Every payload is
 * `{ sessionID, directory, worktree, ... }` with `input` and `output` of the hook, or `event` of the bus, as OpenCode hands them over; in a
 * subagent's session with `parentID`, which OpenCode says only when that session begins or changes.
 */
const EVENTS = ["session.created", "session.error"];
const SHELL_TOOLS = ["bash", "shell"];

/** Beside the person's words, not in them. Parts are read in the order of their ids. */
function partOf(text, { message, parts }) {
  const last = parts[parts.length - 1];
  const id = `${String(last?.id ?? "prt_").slice(0, 16)}${"z".repeat(14)}`;
  const [sessionID, messageID] = [last?.sessionID ?? message?.sessionID, last?.messageID ?? message?.id];
  return { id, sessionID, messageID, type: "text", text, synthetic: true };
}

export const RefloatRecorder = async ({ directory, worktree, client }) => {
  const parents = new Map();
  const learn = (info) => {
    if (info?.id && info.parentID) remember(parents, info.id, info.parentID);
  };
  const about = (sessionID) => {
    const parentID = parents.get(sessionID);
    return { sessionID, ...(parentID === undefined ? {} : { parentID }), directory, worktree };
  };
  const sessionOf = (event) =>
    event?.properties?.sessionID ?? event?.properties?.info?.id ?? event?.properties?.info?.sessionID ?? null;
  const give = ({ model, person }, output) => {
    try {
      output.parts.push(partOf(model, output));
      void client?.tui?.showToast?.({ body: { message: person, variant: "warning" } })?.catch?.(() => null);
    } catch {
      // What OpenCode hands over may change; its work goes on.
    }
  };
  return {
    event: async ({ event }) => {
      learn(event?.properties?.info);
      const session = sessionOf(event);
      const payload = { ...about(session), event };
      if (EVENTS.includes(event?.type)) record("opencode", event.type, payload);
      if (event?.type === "session.idle") record("opencode", "session.idle", payload, { cwd: directory });
      if (event?.type !== "session.compacted") return;
      record("opencode", "session.compacted", payload);
      remember(words, session, "shortened");
    },
    "chat.message": async (input, output) => {
      const session = input?.sessionID;
      const word = parents.has(session) ? "" : wordFor(session);
      const payload = { ...about(session), input, output };
      const notice = record("opencode", "chat.message", payload, { cwd: directory, word });
      if (notice !== null) give(notice, output);
    },
    "tool.execute.before": async (input, output) => {
      const by = SHELL_TOOLS.includes(input?.tool) ? { cwd: directory } : undefined;
      record("opencode", "tool.execute.before", { ...about(input?.sessionID), input, output }, by);
    },
    "tool.execute.after": async (input, output) => {
      record("opencode", "tool.execute.after", { ...about(input?.sessionID), input, output });
    },
  };
};
