// Claims the session it is told on its input and says on descriptor 3 whether it got it; told "done", it
// writes one record and gives the session back. Two of these race (hermes.test.ts).
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , built, url, name] = process.argv;
const { openStore, Held } = await import(built);
const store = await openStore(url);
const say = (line) => writeSync(3, `${JSON.stringify(line)}\n`);

async function claim(id) {
  try {
    const session = await store.begin({ id, agent: name, workspace: "/w" });
    say({ kind: "won", attempt: session.attempt, recovered: session.recovered });
    return session;
  } catch (thrown) {
    say(
      thrown instanceof Held ? { kind: "held", by: thrown.by.label } : { kind: "error", why: String(thrown) },
    );
    return null;
  }
}

let session = null;
say({ kind: "ready" });
for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line);
  if (order.kind === "claim") session = await claim(order.id);
  if (order.kind === "done" && session) {
    await session.decide("winner", name);
    await session.release();
    session = null;
    say({ kind: "released" });
  }
}
await store.close();
