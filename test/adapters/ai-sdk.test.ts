/** `refloat/ai-sdk`: messages in and out, and streams that outlive their readers and their writer. */
import { setTimeout } from "node:timers/promises";
import type { UIMessage } from "ai";
import { convertToModelMessages } from "ai";
import { expect, it } from "vitest";
import { createResumableStreamContext, modelChat, uiChat } from "../../src/adapters/ai-sdk.ts";
import { describeOnBoth, openedHere, STORES } from "../support/both-stores.ts";
import { startChild } from "../support/child.ts";

/** More than a reader leaves between two looks at whether its writer lives; more than a flush waits. */
const LOOK_MS = 1200;
const FLUSHED_MS = 150;

const user = (id: string, text: string): UIMessage => ({ id, role: "user", parts: [{ type: "text", text }] });

async function textOf(stream: ReadableStream<string> | null | undefined): Promise<string> {
  let text = "";
  for await (const piece of stream ?? []) text += piece;
  return text;
}

describeOnBoth((make) => {
  it("gives back the conversation as it was saved last, also where messages were taken out or changed", async () => {
    const store = await openedHere(make());
    const chat = uiChat(store, { id: "c" });
    await chat.add(user("1", "a"), user("2", "b"));
    await chat.save([user("1", "a"), user("2", "B"), user("3", "c")]);
    expect(await chat.messages()).toEqual([user("1", "a"), user("2", "B"), user("3", "c")]);
    await chat.save([user("1", "a")]);
    await chat.add(user("4", "d"));
    expect(await chat.messages()).toEqual([user("1", "a"), user("4", "d")]);
    expect(await chat.messages(1)).toEqual([user("4", "d")]);
    await chat.close();
    expect(await uiChat(store, { id: "c" }).peek()).toEqual([user("1", "a"), user("4", "d")]);
    expect(await uiChat(store, { id: "other" }).peek()).toEqual([]);
  });

  it("tells the model of a call that a dead process had begun, in messages that the framework takes (C4)", async () => {
    const store = await openedHere(make());
    const chats = [uiChat(store, { id: "ui" }), modelChat(store, { id: "model" })] as const;
    await chats[0].add(user("1", "pay"));
    await chats[1].add({ role: "user", content: "pay" });
    for (const chat of chats) {
      await chat.close();
      const dies = await store.begin({ id: `ai-sdk:${chat.id}`, agent: "dies", workspace: "w" });
      await (await dies.continueTurn()).call({ id: "call-1", tool: "pay", input: { bill: 1 } });
      await dies.release();
    }
    const ui = uiChat(store, { id: "ui" });
    const model = modelChat(store, { id: "model" });
    const converted = await convertToModelMessages(await ui.messages());
    for (const messages of [converted, await model.messages()]) {
      expect(JSON.stringify(messages.slice(1))).toMatch(
        /"tool-call".*call-1.*"tool-result".*may have happened/,
      );
    }
    await ui.close();
    await model.close();
  });

  it("keeps a stream that nobody reads, and hands it to whoever comes, from where he was, while it runs and not after", async () => {
    const streams = createResumableStreamContext(await openedHere(make()));
    expect(await streams.resumeExistingStream("s")).toBeUndefined();
    const { readable, writable } = new TransformStream<string, string>();
    const write = writable.getWriter();
    const given = await streams.createNewResumableStream("s", () => readable);
    void given.cancel(); // the browser is gone
    await write.write("Hello ");
    const joined = await streams.resumeExistingStream("s", 3);
    expect(await streams.hasExistingStream("s")).toBe(true);
    await write.write("world");
    await write.close();
    expect(await textOf(joined)).toBe("lo world");
    await streams.close();
    expect(await streams.hasExistingStream("s")).toBe("DONE");
    expect(await streams.resumeExistingStream("s")).toBeNull();
  });

  it("is over, on disk, when whoever began it has read it to its end: it is not handed to him again", async () => {
    const store = await openedHere(make());
    const streams = createResumableStreamContext(store);
    for (const id of ["a", "b", "c"]) {
      const { readable, writable } = new TransformStream<string, string>();
      const write = writable.getWriter();
      const given = await streams.createNewResumableStream(id, () => readable);
      const text = textOf(given);
      await write.write("Hello");
      await write.close();
      expect(await text).toBe("Hello");
      expect(await streams.resumeExistingStream(id)).toBeNull();
      expect(await createResumableStreamContext(store).hasExistingStream(id)).toBe("DONE");
    }
    await streams.close();
  });

  it("ends a stream for its readers when its writer was killed, with all that was kept", async () => {
    const place = make();
    const child = startChild(
      `import { openStore } from "./index.js";
       import { createResumableStreamContext } from "./adapters/ai-sdk.js";
       const streams = createResumableStreamContext(await openStore(process.env.STORE, JSON.parse(process.env.OPEN)));
       await streams.createNewResumableStream("s", () => new ReadableStream({ start: (c) => c.enqueue("kept") }));
       setTimeout(() => console.log("1"), 500); setInterval(() => undefined, 1000);`,
      { STORE: place.url, OPEN: JSON.stringify(place.open) },
    );
    await child.said();
    const streams = createResumableStreamContext(await openedHere(place));
    const joined = await streams.resumeExistingStream("s");
    await child.kill();
    expect(await textOf(joined)).toBe("kept");
    await streams.close();
  });
});

it("goes on for its readers after a pause, and hands to a slow one all of it and how it failed", async () => {
  // Claims are given back at once: a model's pause need not be a long one here. Readers look once a second.
  const streams = createResumableStreamContext(await openedHere(STORES[0][1]()), { idleMs: 10 });
  const { readable, writable } = new TransformStream<string, string>();
  const write = writable.getWriter();
  const given = await streams.createNewResumableStream("s", () => readable);
  given.cancel().catch(() => undefined);
  await write.write("Hello ");
  const joined = await streams.resumeExistingStream("s");
  const slow = (await streams.resumeExistingStream("s"))?.getReader();
  const text = textOf(joined);
  await setTimeout(LOOK_MS);
  await write.write("wor");
  await setTimeout(FLUSHED_MS);
  await write.write("ld");
  await setTimeout(FLUSHED_MS);
  await write.abort(new Error("the model is gone"));
  await expect(text).rejects.toThrow("the model is gone");
  await setTimeout(LOOK_MS);
  let read = "";
  const rest = async () => {
    for (let next = await slow?.read(); next && !next.done; next = await slow?.read()) read += next.value;
  };
  await expect(rest()).rejects.toThrow("the model is gone");
  expect(read).toBe("Hello world");
  await streams.close();
});
