// Drains the inbox of a home into the session "hooks" of its store: what the test kills.
import { drainInbox } from "../../dist/agents/inbox/drain-inbox.js";
import { openStore } from "../../dist/app/store/open-store.js";
import { newRecord } from "../../dist/session/new-record.js";
import { ensureSession } from "../../dist/workspace/sessions/capture-session.js";

const [home] = process.argv.slice(2);
const store = await openStore(`${home}/refloat.db`, { thread: false });
await ensureSession(store.raw, "hooks", { agent: "refloat", workspace: "", goal: null, name: null });
const drained = await drainInbox(store.raw, home, async ({ id, event, atMs }) => {
  const body = {
    input: id,
    parts: [{ type: "text", text: `${Buffer.from(event.body)}` }],
    from: event.event,
  };
  const record = { ...newRecord(store.raw.clock, "input.queued", body, id), atMs: Math.floor(atMs) };
  await store.raw.append("hooks", "anyone", [record]);
  return "taken";
});
await store.close();
console.log(JSON.stringify(drained));
