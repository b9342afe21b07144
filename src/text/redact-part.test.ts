import { describe, expect, it } from "vitest";
import { boundedInputs, MARGIN_CHARS, redactBeginnings, redactCommand, redactEnd } from "./redact-part.ts";

const BODY = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
const GITHUB = `ghp_${BODY}`;
const MARK = "[redacted: github]";
/** No piece of the secret that long may stay. */
const PIECE = 6;
const pieces = Array.from({ length: BODY.length - PIECE + 1 }, (_, at) => BODY.slice(at, at + PIECE));
const holdsPiece = (text: string): boolean => pieces.some((piece) => text.includes(piece));
const filler = (chars: number): string => "plain words ".repeat(Math.ceil(chars / 12)).slice(0, chars);
const LINE = `${"q7ZkP0aaXw".repeat(7).slice(0, 64)}\n`;
const key = (chars: number): string =>
  `-----BEGIN RSA PRIVATE KEY-----\n${LINE.repeat(Math.ceil(chars / LINE.length))}-----END RSA PRIVATE KEY-----`;

describe("the beginning of a long text", () => {
  it("never ends in a part of a secret, wherever it is cut; what stands before the secret stays (T4)", async () => {
    const text = `${filler(300)}${GITHUB} ${filler(MARGIN_CHARS)}`;
    const cuts = Array.from({ length: GITHUB.length + 3 }, (_, at) => 299 + at);
    const parts = await redactBeginnings(cuts.map((chars) => ({ text, chars })));
    parts.forEach(({ text: shown, found }, at) => {
      expect(shown.startsWith(filler(299))).toBe(true);
      expect(holdsPiece(shown)).toBe(false);
      expect(found).toHaveLength(cuts[at] !== undefined && cuts[at] > 300 ? 1 : 0);
    });
    expect(parts.at(-1)?.text).toBe(`${filler(300)}${MARK} `);
  });

  it("shows no more of the text because a marker is shorter than what it stands for: what was not searched stays out", async () => {
    const beginning = `${filler(100)}${key(MARGIN_CHARS - 800)}\n`;
    const chars = beginning.length + 10;
    // Cut in two where the search ends, and near enough to the cut once the key is a marker.
    const before = filler(chars + MARGIN_CHARS - beginning.length - 12);
    const [part] = await redactBeginnings([{ text: `${beginning}${before}${GITHUB}${filler(500)}`, chars }]);
    expect(part?.text).toContain("[redacted: private-key]");
    expect(part?.text.length).toBeLessThan(200);
    expect(part?.text).not.toContain("ghp_");
    expect(part?.text).not.toContain(LINE.slice(0, PIECE));
  });

  it("is the whole text where that is short", async () => {
    expect(await redactBeginnings([{ text: "short", chars: 100 }])).toEqual([{ text: "short", found: [] }]);
    expect(await redactBeginnings([])).toEqual([]);
  });
});

describe("the end of a long text", () => {
  it("never begins in a part of a secret: neither a token's nor the last lines of a private key (T4)", async () => {
    const text = `${filler(MARGIN_CHARS)} ${GITHUB} ${filler(299)}`;
    for (let chars = 298; chars < 302 + GITHUB.length; chars++) {
      const { text: shown } = await redactEnd({ text, chars });
      expect(holdsPiece(shown), String(chars)).toBe(false);
      expect(shown.endsWith(filler(299).slice(20)), String(chars)).toBe(true);
    }
    const withKey = `${filler(500)}\n${key(3000)}\nand so on`;
    const { text: shown } = await redactEnd({ text: withKey, chars: 200 });
    expect(shown).toBe("[redacted: private-key]\nand so on");
  });
});

describe("inputs of calls in a response", () => {
  it("keep their shape when short and are the bounded beginning of their text when long; the secret at the cut is gone whole (T4, T5)", async () => {
    const short = { command: "ls", count: 3 };
    const long = { content: `${filler(4070)}${GITHUB} ${filler(9000)}` };
    const [kept, cut] = await boundedInputs([short, long]);
    expect(kept).toEqual({ input: short, isCut: false, count: 0 });
    expect(cut).toMatchObject({ isCut: true, count: 1 });
    expect(Buffer.byteLength(String(cut?.input))).toBeLessThanOrEqual(4096);
    expect(String(cut?.input)).toContain("plain words");
    expect(String(cut?.input)).not.toContain("ghp_");
    const [, raw] = await boundedInputs([short, long], true);
    expect(String(raw?.input)).toContain("ghp_");
    expect(Buffer.byteLength(String(raw?.input))).toBeLessThanOrEqual(4096);
  });
});

describe("a command line as it is kept (T4)", () => {
  it("loses its secrets, given after a flag or in one word with it, and keeps every other word", async () => {
    const secret = "hunter2-Zx81kQp0vT";
    const command = [
      "agent",
      "--token",
      secret,
      `--api-key=${secret}`,
      "-p",
      "write the tests",
      "--model",
      "x-1",
    ];
    const kept = await redactCommand(command);
    expect(kept.join(" ")).not.toContain(secret);
    expect(kept).toHaveLength(command.length);
    expect([kept[0], kept[1], kept[5], kept[7]]).toEqual(["agent", "--token", "write the tests", "x-1"]);
  });

  it("loses what only the program's name tells to be a secret, word by word", async () => {
    for (const [command, kept] of [
      [
        ["curl", "-u", "alice:hunter2", "https://x"],
        ["curl", "-u", "alice:[redacted: password]", "https://x"],
      ],
      [
        ["mysql", "-uroot", "-phunter2"],
        ["mysql", "-uroot", "-p[redacted: password]"],
      ],
      [
        ["sshpass", "-p", "hunter2", "ssh", "h"],
        ["sshpass", "-p", "[redacted: password]", "ssh", "h"],
      ],
      [
        ["claude", "-p", "write tests please"],
        ["claude", "-p", "write tests please"],
      ],
    ] as const)
      expect(await redactCommand(command)).toEqual(kept);
  });

  it("keeps the beginning of a prompt of any length", async () => {
    const [, prompt] = await redactCommand(["agent", "word ".repeat(100_000)]);
    expect(prompt?.length).toBeLessThan(2100);
    expect(prompt?.startsWith("word word")).toBe(true);
  });
});
