/** What still waits in a conversation that was begun anew goes where it goes on: stored there first, dropped here afterwards. */
import { giving, RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import { newRecord } from "../session/new-record.ts";
import type { Host } from "./host.ts";
import { readInput, storeInput } from "./inbox.ts";

export async function moveInputs(host: Host, from: SessionId, to: SessionId): Promise<void> {
  const { store, place } = host;
  const waiting = await store.open(from, { what: ["input"] });
  for (const { id } of waiting) {
    const input = await readInput(store, from, id);
    if (!input) throw new RefloatError("E_INTERNAL", { why: `a queued input has no record: ${id}` });
    const { parts, from: sender, route, confirms } = input;
    await storeInput(store, place, {
      session: to,
      continues: from,
      id,
      input: parts,
      route,
      ...(sender === null ? {} : { from: sender }),
      ...(confirms === null ? {} : { confirms }),
    });
    await drop(host, from, id, to);
  }
  if (waiting.length > 0) host.wake(to); // else there is none yet: its first input makes it
}

async function drop({ store }: Host, from: SessionId, input: string, to: SessionId): Promise<void> {
  const dropped = newRecord(store.clock, "input.dropped", {
    input,
    reason: `the conversation goes on in ${to}`,
  });
  // An order to stop may have taken it out of the queue at the same moment.
  await store.append(from, "anyone", [dropped]).catch(giving(null, "E_NOT_OPEN"));
}
