/** What commands say of a session is without its secrets unless asked for raw; what files hold is never altered (T4). */
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { deadOwner, ended, makePlace, type Place } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";

const SECRET = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
const MARKER = "[redacted: github]";

/** A session that had the token in its hands wherever an agent has words. */
async function sceneWithSecret(): Promise<Place> {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("f", "1\n");
  repo.commit();
  await place.withStore(async (store) => {
    const session = await store.begin({
      id: "leaky",
      agent: "tester",
      workspace: place.workspace,
      goal: `push with ${SECRET}`,
      owner: deadOwner("tester"),
    });
    const turn = await session.turn(`the token is ${SECRET}`);
    await turn.append({ role: "assistant", parts: `I take ${SECRET}.` });
    const push = await turn.call({ id: "c1", tool: "bash", input: { command: `curl -H ${SECRET} host` } });
    await push.result(`hello ${SECRET}`);
    const text = `${"ordinary words ".repeat(271)}\n${SECRET} ${"and more ".repeat(300)}`;
    const write = await turn.call({ id: "c2", tool: "write", input: { content: text } });
    await write.result("written");
    await session.operation(`deploy ${SECRET}`);
    await session.decide("header", `Bearer ${SECRET}`, { reason: `on account of ${SECRET}` });
    repo.write("f", `1\ntoken=${SECRET}\n`);
    await session.capture(`before ${SECRET}`);
    await session.enqueue(`and ${SECRET}`, { from: "chat" });
  });
  const decided = await place.refloat(["decide", "place", "here", "--reason", `because of ${SECRET}`]);
  expect(decided.code).toBe(0);
  return place;
}

describe("secrets in what is printed", () => {
  it("are taken out of every command that tells an agent's words, as text and as JSON; what is around them stays", async () => {
    const place = await sceneWithSecret();
    const commands: readonly (readonly [readonly string[], string])[] = [
      [["show", "leaky"], "curl -H"],
      [["log", "leaky"], "the token is"],
      [["log", "leaky", "--view", "model"], "the token is"],
      [["log", "leaky", "--export", "anthropic"], "the token is"],
      [["decisions"], "because of"],
      [["op", "list"], "deploy"],
      [["captures"], "before"],
      [["inspect", "leaky"], "push with"],
      [["handoff", "leaky"], "push with"],
    ];
    for (const [args, around] of commands)
      for (const more of [[], ["--json"]]) {
        const { stdout, stderr } = await place.refloat([...args, ...more]);
        const name = [...args, ...more].join(" ");
        expect(stdout, name).toContain(around);
        expect(stdout + stderr, name).not.toContain(SECRET.slice(0, 12));
      }
    for (const args of [["sessions"], ["status"], ["why", "f"]])
      expect((await place.refloat([...args, "--json"])).stdout, args[0]).not.toContain(SECRET);
  });

  it("are counted, said on stderr, and left in with --raw", async () => {
    const place = await sceneWithSecret();
    const shown = await place.refloat(["show", "leaky"]);
    expect(shown.stdout).toContain(MARKER);
    expect(shown.stderr).toMatch(/secrets? taken out; --raw leaves them in/);
    for (const args of [["show", "leaky"], ["log", "leaky"], ["decisions"]]) {
      expect((await place.json(args)).json.redacted, args[0]).toBeGreaterThan(0);
      const raw = await place.json([...args, "--raw"]);
      expect(raw.json.redacted, args[0]).toBe(0);
      expect(JSON.stringify(raw.json), args[0]).toContain(SECRET);
      const text = await place.refloat([...args, "--raw"]);
      expect(text.stdout, args[0]).toContain(SECRET);
      expect(text.stderr, args[0]).toBe("");
    }
  });

  it("are looked for before a long input is cut: its first half never stays behind", async () => {
    const place = await sceneWithSecret();
    for (const command of ["show", "inspect"]) {
      const { json } = await place.json([command, "leaky"]);
      const [, written] = json.calls;
      expect(written.input_cut, command).toBe(command === "show" ? true : undefined);
      expect(Buffer.byteLength(written.input), command).toBeLessThanOrEqual(4096);
      expect(written.input, command).toContain("ordinary words");
      expect(written.input, command).not.toContain("ghp_");
    }
    const raw = await place.json(["show", "leaky", "--raw"]);
    expect(raw.json.calls[1].input).toContain("ghp_");
  });

  it("are taken out of records as they are followed, which say so; with --raw they come as they are", async () => {
    const place = await sceneWithSecret();
    for (const isRaw of [false, true]) {
      const child = place.start(["log", "leaky", "--follow", "--json", ...(isRaw ? ["--raw"] : [])]);
      const over = ended(child);
      let began: { body: { turn: string }; redacted?: boolean } | null = null;
      let seen = "";
      for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
        seen += line;
        const { record } = JSON.parse(line);
        if (record.kind === "turn.began") began = record;
        if (record.kind === "input.queued") break;
      }
      child.kill("SIGTERM");
      expect((await over).signal).toBe("SIGTERM");
      expect(began?.redacted ?? false).toBe(!isRaw);
      expect(seen.includes(SECRET)).toBe(isRaw);
    }
  });

  it("stay in the lines of the user's own files: diff and why show what is there", async () => {
    const place = await sceneWithSecret();
    expect((await place.refloat(["diff", "HEAD", "now"])).stdout).toContain(`token=${SECRET}`);
    expect((await place.json(["why", "f:2"])).json.text).toBe(`token=${SECRET}`);
  });
});
