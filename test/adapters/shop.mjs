// What the killed agents share: a tool whose effect on the world is a synced line in a file, and saying what was acknowledged.
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "refloat";

/** Orders that one whole story charges; a life may be killed in any of them. */
export const ORDERS = Number(process.env.ORDERS);

export const opened = () =>
  openStore(process.env.STORE, process.env.SCHEMA ? { schema: process.env.SCHEMA } : {});

/** Why a conversation goes on that was suspended for dying in the same call again and again. */
export const lift = process.env.LIFT;

/** On stdout before anything else happens: a pipe is written to at once. */
export const say = (said) => writeSync(1, `${JSON.stringify(said)}\n`);

/** Says what is begun and that it has ended: where it was killed in between is counted. A failure has no end. */
export async function during(work, run) {
  say({ begun: work });
  const result = await run();
  say({ ended: work });
  return result;
}

export const charge = (order) => during("charge", () => chargeNow(order));

async function chargeNow(order) {
  await sleep(10);
  const ledger = openSync(process.env.LEDGER, "a");
  writeSync(ledger, `${order}\n`);
  fdatasyncSync(ledger);
  closeSync(ledger);
  await sleep(10);
  return `charged ${order}`;
}

/** What a scripted model was told of an order's charge: by the tool, or that nobody knows. */
export const toldOf = (order, text) => ({ told: { order, isUnknown: /may have happened/.test(text) } });
