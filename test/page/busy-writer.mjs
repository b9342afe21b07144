/**
 * One of the busy processes: `busy-writer.mjs STORE FOLDER NAME SESSIONS RECORDS`. It begins its sessions and says their ids; from the parent's "go" on it writes
 * to all of them in turn, records of about a KiB, each waited for; it says how far it is, and at last how many records each of them has.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "refloat";

const [, , path, workspace, name, sessions, records] = process.argv;
const store = await openStore(path, { thread: false });
const open = [];
for (let i = 0; i < Number(sessions); i++) {
  const session = await store.begin({ id: `${name}-${i}`, agent: "busy", workspace, captures: "off" });
  open.push({ id: session.id, turn: await session.turn("go") });
}
process.send({ kind: "begun", ids: open.map(({ id }) => id) });
process.once("message", async () => {
  const filling = "what was found out and why it matters ".repeat(25);
  for (let round = 0; round < Number(records); round++) {
    await Promise.all(
      open.map(({ id, turn }) =>
        turn.append({ role: "assistant", parts: `${id} says ${round}: ${filling}` }),
      ),
    );
    process.send({ kind: "written", round });
    await sleep(20);
  }
  for (const { id } of open)
    process.send({ kind: "head", id, head: (await store.raw.session(id))?.head ?? 0 });
  await store.close();
  process.disconnect();
});
