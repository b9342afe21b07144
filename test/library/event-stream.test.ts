/** `toEventStream`: a browser reads along before the disk does, and misses nothing when it connects again (C3, D3). */
import { once } from "node:events";
import { type ClientRequest, get, request } from "node:http";
import { expect, test } from "vitest";
// @ts-expect-error: plain JavaScript for a page
import { Reader } from "../../examples/live/reader.mjs";
import { seqAfter, toEventStream } from "../../src/conversation/event-stream.ts";
import { describeOnBoth, openedHere } from "../support/both-stores.ts";
import { liveFolder, saidIn, startExample } from "./live-example.ts";

interface Message {
  readonly id: string;
  readonly role: string;
  readonly state: string;
  readonly text: string;
  readonly durable: number;
}
interface PageReader {
  readonly messages: Map<string, Message>;
  live(piece: unknown): void;
  record(record: unknown): void;
}
interface PageEvent {
  readonly event: string;
  readonly id: string | null;
  readonly data: { seq: number; kind: string; text: string; at: number };
}
const newReader = (): PageReader => new Reader() as PageReader;

/** As a browser reads them. */
async function* eventsOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<PageEvent> {
  const decoder = new TextDecoder();
  let left = "";
  for await (const bytes of source) {
    const blocks = (left + decoder.decode(bytes, { stream: true })).split("\n\n");
    left = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields = new Map(
        block
          .split("\n")
          .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
      );
      const data = fields.get("data");
      if (data !== undefined)
        yield { event: fields.get("event") ?? "", id: fields.get("id") ?? null, data: JSON.parse(data) };
    }
  }
}

describeOnBoth((make) => {
  test("C3: what is written is heard before it is on disk, and a reader that comes later, or again from any record, ends with the journal's text", async () => {
    const store = await openedHere(make());
    const session = await store.begin({ id: "s", agent: "a", workspace: "/w" });
    const whole = newReader();
    const order: string[] = [];
    const stop = new AbortController();
    const reading = (async () => {
      for await (const { event, data } of eventsOf(toEventStream(session, { signal: stop.signal }))) {
        order.push(event === "live" ? `live ${data.text}` : data.kind);
        if (event === "live") whole.live(data);
        else whole.record(data);
      }
    })();
    const turn = await session.turn("go");
    const message = turn.message("assistant");
    message.write("one ");
    await expect.poll(() => order, { timeout: 30_000 }).toContain("live one ");
    expect(order).not.toContain("message.grew");
    await message.flushed();
    message.write("two ");
    // In the middle of a message, with some of it on disk and some not.
    const late = newReader();
    const lateStream = toEventStream(session, { fromSeq: 1 })[Symbol.asyncIterator]();
    const lateEvents = eventsOf({ [Symbol.asyncIterator]: () => lateStream });
    for (let text = ""; text !== "one two "; text = late.messages.get(message.id)?.text ?? "") {
      const { value } = await lateEvents.next();
      if (value?.event === "live") late.live(value.data);
      else late.record(value?.data);
    }
    await lateEvents.return(undefined);
    message.write("three");
    await message.end();
    await turn.end("completed");
    await session.finish();
    await expect.poll(() => order, { timeout: 30_000 }).toContain("session.finished");
    stop.abort();
    await reading;
    expect(whole.messages.get(message.id)).toMatchObject({
      text: "one two three",
      durable: 13,
      state: "final",
    });
    for (let seq = 1; seq <= session.head; seq++) {
      // From every record on: nothing is sent twice, nothing left out.
      const seqs: number[] = [];
      for await (const { data } of eventsOf(toEventStream(session, { fromSeq: seq }))) {
        seqs.push(data.seq);
        if (data.seq === session.head) break;
      }
      expect(seqs).toEqual(Array.from({ length: session.head - seq + 1 }, (_, i) => seq + i));
    }
    expect([seqAfter("7"), seqAfter(undefined), seqAfter("x"), seqAfter("-1")]).toEqual([8, 1, 1, 1]);
  });
});

function say(port: number, text: string): Promise<unknown> {
  const posting = request({ port, host: "127.0.0.1", method: "POST" });
  posting.end(text);
  return once(posting, "response");
}

async function connect(
  port: number,
  lastId: string | null,
): Promise<{ events: AsyncGenerator<PageEvent>; asked: ClientRequest }> {
  const headers = lastId === null ? {} : { "last-event-id": lastId };
  const asked = get({ port, host: "127.0.0.1", path: "/events", headers });
  const [response] = (await once(asked, "response")) as [AsyncIterable<Uint8Array>];
  return { events: eventsOf(response), asked };
}

test("the example's server killed in the middle of an answer and started again: its page has every word of the journal, in order, and none that is not in it", async () => {
  const folder = liveFolder();
  const page = newReader();
  let lastId: string | null = null;
  const take = ({ event, id, data }: PageEvent): void => {
    if (event === "live") page.live(data);
    else page.record(data);
    lastId = id ?? lastId;
  };
  const first = await startExample(folder, 0);
  const one = await connect(first.port, lastId);
  await say(first.port, "begin");
  let isAhead = false;
  try {
    for await (const event of one.events) {
      take(event);
      const [answer] = [...page.messages.values()].filter(({ role }) => role === "assistant");
      isAhead ||= answer !== undefined && answer.text.length > answer.durable;
      // Some of it on disk, some only shown.
      if (answer && answer.durable > 0 && answer.text.length > answer.durable + 8)
        first.child.kill("SIGKILL");
    }
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: "ECONNRESET" }); // as a page sees a server that dies
  }
  expect(isAhead).toBe(true);
  const second = await startExample(folder, first.port);
  const two = await connect(second.port, lastId);
  await say(second.port, "again");
  for await (const event of two.events) {
    take(event);
    const answers = [...page.messages.values()].filter(({ role }) => role === "assistant");
    if (answers.length === 2 && answers.every(({ state }) => state !== "open")) break;
  }
  two.asked.destroy();
  second.child.kill("SIGKILL");
  await once(second.child, "exit");
  const said = await saidIn(folder);
  expect([...page.messages.values()].map(({ role, state, text }) => [role, state, text])).toEqual(said);
  expect(said[1]?.[1]).toBe("cut-off");
  expect(said[3]?.[2]?.endsWith("word 40 ")).toBe(true);
});
