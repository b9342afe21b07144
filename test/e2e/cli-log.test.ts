/** `log`: the conversation for people, models, providers and followers. */
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { checkAnthropic } from "../../src/conversation/export/check-anthropic.ts";
import { cutOffSession, ended, makePlace } from "../support/cli.ts";
import { checkOpenAiChat } from "../support/providers/check-openai-chat.ts";
import { checkOpenAiResponses } from "../support/providers/check-openai-responses.ts";

describe("log", () => {
  it("is offered by show where it has something to show, and not of an agent that said nothing under run (T6)", async () => {
    const place = makePlace();
    await place.refloat(["run", "--name", "mute", "--", "true"]);
    expect((await place.refloat(["log", "mute"])).stdout).not.toContain("assistant");
    expect((await place.refloat(["show", "mute"])).stdout).not.toContain("refloat log");
    await cutOffSession(place, { id: "said" });
    expect((await place.refloat(["show", "said"])).stdout).toContain("The conversation: refloat log said");
  });

  it("shows who said what, the calls and their results, and marks what was cut off (C3, C4)", async () => {
    const place = makePlace();
    await cutOffSession(place, { id: "said" });
    const { code, stdout } = await place.refloat(["log", "said"]);
    expect(code).toBe(0);
    const order = ["Please make it work", "I will try.", "read_file", "hello", "deploy", "may have happened"];
    const places = order.map((text) => stdout.indexOf(text));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(-1);
    const { json } = await place.json(["log", "said"]);
    expect(json).toMatchObject({ schema: "refloat.log/1", session: "said", view: "people", earlier: 0 });
    expect(json.items.map((item: { kind: string }) => item.kind)).toEqual([
      "message",
      "message",
      "call",
      "call",
    ]);
    expect(json.items[2].result).toMatchObject({ status: "done", output: "hello", synthetic: false });
    expect(json.items[3].result).toBeNull();
  });

  it("shows people what was rewound and hides it from the model (C5)", async () => {
    const place = makePlace();
    await place.withStore(async (store) => {
      const session = await store.begin({ id: "rewound", agent: "t", workspace: place.workspace });
      const first = await session.turn("wrong question");
      await first.end("completed");
      await session.supersede(1, "rewind");
      const second = await session.turn("right question");
      await second.end("completed");
      await session.finish();
    });
    expect((await place.refloat(["log", "rewound"])).stdout).toContain("wrong question");
    const model = await place.refloat(["log", "rewound", "--view", "model"]);
    expect(model.stdout).not.toContain("wrong question");
    expect(model.stdout).toContain("right question");
  });

  it("exports what each provider takes, whatever state the session is in, bare or in an envelope (C6)", async () => {
    const place = makePlace();
    await cutOffSession(place, { id: "sent" });
    const checks = {
      anthropic: checkAnthropic,
      "openai-chat": checkOpenAiChat,
      "openai-responses": checkOpenAiResponses,
    };
    for (const [format, check] of Object.entries(checks)) {
      const bare = await place.refloat(["log", "sent", "--export", format]);
      // Its owner is gone: the open call is not said to run still, and nothing is written by reading (C4, T1).
      expect(bare.stdout).toMatch(/outcome unknown/i);
      expect(bare.stdout).not.toMatch(/still running/i);
      expect(check(JSON.parse(bare.stdout), { forRequest: false })).toEqual([]);
      const { json } = await place.json(["log", "sent", "--export", format]);
      expect(json).toMatchObject({ schema: "refloat.log/1", session: "sent", format });
      expect(json.export).toEqual(JSON.parse(bare.stdout));
    }
  });

  it("takes secrets out of an export unless --raw, and says so on stderr (T4)", async () => {
    const place = makePlace();
    const secret = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    await place.withStore(async (store) => {
      const session = await store.begin({ id: "secret", agent: "t", workspace: place.workspace });
      const turn = await session.turn(`use the token ${secret}`);
      await turn.end("completed");
      await session.finish();
    });
    const safe = await place.refloat(["log", "secret", "--export", "openai-chat"]);
    expect(safe.stdout).not.toContain(secret);
    expect(safe.stderr).toContain("--raw");
    expect((await place.refloat(["log", "secret", "--export", "openai-chat", "--quiet"])).stderr).toBe("");
    const raw = await place.refloat(["log", "secret", "--export", "openai-chat", "--raw"]);
    expect(raw.stdout).toContain(secret);
  });

  it("shows only the last messages with --last and says that there are earlier ones", async () => {
    const place = makePlace();
    await place.withStore(async (store) => {
      const session = await store.begin({ id: "chatty", agent: "t", workspace: place.workspace });
      const turn = await session.turn("start");
      for (let i = 1; i <= 20; i++) await turn.append({ role: "assistant", parts: `message number ${i}.` });
      await turn.end("completed");
      await session.finish();
    });
    const { stdout } = await place.refloat(["log", "chatty", "--last", "3"]);
    expect(stdout).toContain("number 20.");
    expect(stdout).not.toContain("number 17.");
    expect(stdout).toContain("earlier");
    expect((await place.json(["log", "chatty", "--last", "3"])).json.earlier).toBeNull();
  });
});

describe("log --follow", () => {
  it("prints one JSON object a line, what is there and what comes, and dies of SIGINT like any program", async () => {
    const place = makePlace();
    await place.withStore(async (store) => {
      const session = await store.begin({ id: "live", agent: "t", workspace: place.workspace });
      const child = place.start(["log", "live", "--follow", "--json"]);
      const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
      const next = async (): Promise<Record<string, unknown>> =>
        JSON.parse((await lines.next()).value as string);
      expect(await next()).toMatchObject({
        schema: "refloat.log/1",
        record: { seq: 1, kind: "session.began" },
      });
      expect(await next()).toMatchObject({ record: { seq: 2, kind: "claim.taken" } });
      const turn = await session.turn("said while somebody follows");
      expect(await next()).toMatchObject({
        record: { seq: 3, kind: "turn.began", body: { parts: [{ text: "said while somebody follows" }] } },
      });
      await turn.end("completed");
      expect(await next()).toMatchObject({ record: { kind: "turn.ended" } });
      child.kill("SIGINT");
      expect(await ended(child)).toMatchObject({ code: null, signal: "SIGINT", stderr: "" });
      await session.finish();
    });
  });

  it("goes on where it is told to with --from", async () => {
    const place = makePlace();
    await cutOffSession(place, { id: "from" });
    const child = place.start(["log", "from", "--follow", "--json", "--from", "4"]);
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
    expect(JSON.parse((await lines.next()).value as string)).toMatchObject({ record: { seq: 4 } });
    child.kill("SIGTERM");
    expect((await ended(child)).signal).toBe("SIGTERM");
  });

  it("shows streamed text to a person as it grows, as one message, and never raw (C3, T3)", async () => {
    const place = makePlace();
    await place.withStore(async (store) => {
      const session = await store.begin({ id: "stream", agent: "t", workspace: place.workspace });
      const child = place.start(["log", "stream", "--follow"]);
      let seen = "";
      const until = (text: string): Promise<void> =>
        new Promise((resolve) => {
          const look = (piece: Buffer): void => {
            seen += piece;
            if (!seen.includes(text)) return;
            child.stdout?.off("data", look);
            resolve();
          };
          child.stdout?.on("data", look);
        });
      const turn = await session.turn("tell me a story");
      const message = turn.message("assistant");
      message.write("Once upon ");
      const begun = until("Once upon");
      await message.flushed();
      await begun;
      const rest = until("a time.");
      message.write("a time.\x1b[2J\u202e");
      await message.end();
      await rest;
      await turn.end("completed");
      child.kill("SIGINT");
      expect((await ended(child)).signal).toBe("SIGINT");
      expect(seen).toContain("Once upon a time.");
      for (const raw of ["\x1b", "\u202e"]) expect(seen).not.toContain(raw);
      expect(seen.split("assistant").length).toBe(2);
      await session.finish();
    });
  });
});
