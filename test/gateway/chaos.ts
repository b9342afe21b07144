/**
 * Fifty conversations, random inputs, the server killed at random moments, life after life; then one life that
 * may come to rest, and the checker. A sender that got no receipt sends the same message again, or gives up.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { ChatProcess, Message, Town } from "./chat-process.ts";
import { until } from "./chat-process.ts";
import { checkConversation, checkReceipts, isHeld, type Receipt } from "./check-town.ts";
import type { JournalReader } from "./journal-reader.ts";
import { histogramOf, type Landing } from "./landings.ts";

type Random = (below: number) => number;

const CONVERSATIONS = 50;
/** Messages under way at the same time: enough that a kill hits several things at once. */
const SENDERS = 6;
/** Inputs that wait for their answers at the same time. */
const MAX_WAITING = 60;
/** Nothing was written for this long: longer than every wait and retry of a gateway. */
const STUCK_MS = 90_000;
/** The guards are for loops; here every death is wanted. */
const POLICY = { loopStarts: 1e6, dirtyEnds: 1e6, deliveryAttempts: 1e6, deliveryBackoffMs: 5 };

export class Chaos {
  readonly receipts: Receipt[] = [];
  readonly landings: Landing[] = [];
  readonly #town: Town;
  readonly #reader: () => Promise<JournalReader>;
  readonly #random: Random;
  readonly #again: Message[] = [];
  #journal: JournalReader | null = null;
  readonly #received = new Set<string>();
  readonly #answered = new Set<unknown>();
  /** How long the last start took that was let through: kills in the start are aimed by it, on any machine. */
  #startMs = 0;
  #seen = 0;
  #messages = 0;
  #inFlight = 0;

  constructor(town: Town, reader: () => Promise<JournalReader>, random: Random) {
    this.#town = town;
    this.#reader = reader;
    this.#random = random;
  }

  /** One life, ended by SIGKILL: while it starts, or after so many receipts and arrivals. */
  async liveAndDie(): Promise<void> {
    const life = this.#town.live({ toolMs: this.#random(20), policy: POLICY });
    const receiptsBefore = this.receipts.length;
    // The second life in any case: that no kill ever lands there must not be a matter of luck.
    const isInStart = this.#random(4) === 0 || this.landings.length === 1;
    const bornMs = performance.now();
    let isOver = false;
    const senders = Array.from({ length: SENDERS }, () => this.#sendUntil(life, () => isOver));
    if (isInStart && this.#journal) await sleep(this.#startMs * (0.2 + this.#random(60) / 100));
    else {
      await life.start();
      this.#startMs = performance.now() - bornMs;
      const [receipts, arrivals] = [this.receipts.length, this.#town.platform.delivered.length];
      const enough = 1 + this.#random(15);
      await until("receipts", () => this.receipts.length >= receipts + enough);
      // Receipts are quicker than answers: the kill is to hit turns, calls and sends too.
      await until("an arrival", () => this.#town.platform.delivered.length > arrivals + this.#random(10));
    }
    const inFlight = this.#inFlight;
    isOver = true;
    await life.kill();
    await Promise.all(senders);
    this.#journal ??= await this.#reader();
    this.landings.push(await this.#landing(life, inFlight));
    expect(await checkReceipts(this.#journal, this.receipts.slice(receiptsBefore))).toEqual([]);
  }

  /** The last life: what had no receipt is sent again, everything comes to rest, and it ends cleanly. */
  async rest(): Promise<void> {
    const life = this.#town.live({ policy: POLICY });
    await life.start();
    for (const message of this.#again.splice(0)) await this.#send(life, message);
    const reader = this.#journal ?? (await this.#reader());
    await this.#untilRest(reader);
    life.signal("SIGTERM");
    expect(await life.ended(), life.errors).toBe(0);
  }

  /** A backlog of hundreds of turns takes its time; what makes no headway any more is stuck, and is named. */
  async #untilRest(reader: JournalReader): Promise<void> {
    let heads = -1;
    let giveUpMs = 0;
    for (;;) {
      const rows = await this.#sessions(reader);
      const restless: string[] = [];
      for (const row of rows) {
        for (const { what, id } of await reader.store.open(row.id)) restless.push(`${row.id}: ${what} ${id}`);
        if (isHeld(row)) restless.push(`${row.id}: held`);
      }
      if (restless.length === 0) return;
      const now = rows.reduce((sum, { head }) => sum + head, 0);
      if (now !== heads) giveUpMs = performance.now() + STUCK_MS;
      heads = now;
      if (performance.now() > giveUpMs) throw new Error(`stuck:\n${restless.join("\n")}`);
      await sleep(20);
    }
  }

  /** `only`: one conversation, for the checker's own test. */
  async check(
    delivered = this.#town.platform.delivered,
    receipts = this.receipts,
    only: string | null = null,
  ): Promise<string[]> {
    const reader = this.#journal ?? (await this.#reader());
    const wrong = await checkReceipts(reader, receipts);
    for (const { id } of await this.#sessions(reader)) {
      if (only !== null && id !== only) continue;
      wrong.push(
        ...(await checkConversation(
          reader,
          id,
          delivered.filter(({ session }) => session === id),
        )),
      );
    }
    return wrong;
  }

  histogram(): string {
    return histogramOf(this.landings);
  }

  #sessions(reader: JournalReader) {
    return reader.store.sessions({ prefix: "chat-" });
  }

  /** People wait for answers: who sends on and on without one is another test's. */
  async #sendUntil(life: ChatProcess, isOver: () => boolean): Promise<void> {
    while (!isOver() && !life.isOver) {
      if (this.#waiting() > MAX_WAITING) {
        await sleep(5);
        continue;
      }
      const message = this.#again.shift() ?? this.#newMessage();
      await this.#send(life, message);
    }
  }

  #waiting(): number {
    const { delivered } = this.#town.platform;
    for (; this.#seen < delivered.length; this.#seen++) this.#answered.add(delivered[this.#seen]?.input);
    return this.#received.size - this.#answered.size;
  }

  async #send(life: ChatProcess, message: Message): Promise<void> {
    this.#inFlight++;
    try {
      const { id, session, seq } = await life.send(message);
      this.receipts.push({ id, session, seq });
      this.#received.add(id);
    } catch (_noReceipt) {
      // Dead in the middle: nobody knows whether it was stored. Most senders try again; some do not.
      if (this.#random(3) > 0) this.#again.push(message);
    } finally {
      this.#inFlight--;
    }
  }

  #newMessage(): Message {
    const id = `m${++this.#messages}`;
    const texts = [`hello ${id}`, `wait ${this.#random(40)}`, `work ${1 + this.#random(3)}`];
    return {
      id,
      session: `chat-${this.#random(CONVERSATIONS)}`,
      text: texts[this.#random(texts.length)] ?? id,
      route: { kind: "webhook", room: this.#random(3) },
    };
  }

  async #landing(life: ChatProcess, inFlight: number): Promise<Landing> {
    const open = new Set<string>();
    const reader = this.#journal ?? (await this.#reader());
    for (const { id } of await this.#sessions(reader)) {
      for (const { what } of await reader.store.open(id)) open.add(what);
    }
    return { inStart: !life.said.some((line) => "start" in line), inFlight: inFlight > 0, open: [...open] };
  }
}
