import { describe, expect, it } from "vitest";
import { redactCommand } from "./redact-command.ts";

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
