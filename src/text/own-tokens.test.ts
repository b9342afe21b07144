import { describe, expect, it } from "vitest";
import { fileMayHoldSecret, withoutOwnTokens } from "./own-tokens.ts";

const TOKEN = "00000001-7219-821e-84ba-3646f2f071cc";

describe("tokens of ours in the file they belong to", () => {
  it("are no secrets there, nor in a patch that shows the file; every other line stays as it is (T4)", async () => {
    const file = `{\n  "lock": { "attempt_token": "${TOKEN}" },\n  "project": "demo"\n}\n`;
    expect(withoutOwnTokens(file)).toBe('{\n  "lock": { "attempt_token": "" },\n  "project": "demo"\n}\n');
    expect(await fileMayHoldSecret(file)).toBe(false);
    expect(await fileMayHoldSecret(file.replaceAll(/^/gm, "+"))).toBe(false);
  });

  it("are what they look like and nothing else: another value under the name and another name stay secrets", async () => {
    expect(await fileMayHoldSecret(`{ "attempt_token": "ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}" }`)).toBe(
      true,
    );
    expect(await fileMayHoldSecret(`{ "api_token": "${TOKEN}" }`)).toBe(true);
  });
});
