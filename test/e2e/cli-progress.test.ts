/** The bar over many files: at a terminal, after a moment, taken away at the end; nowhere else. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { barText } from "../../src/cli/screen/progress-bar.ts";
import { BIN, makePlace } from "../support/cli.ts";
import { sample } from "../workflow/samples.ts";

const FILES = 6000;

it("shows how far it is on a terminal's stderr and leaves nothing of it; piped and with --quiet there is none", async () => {
  const place = makePlace();
  const output = join(place.workspace, "agent-output");
  for (let i = 0; i < FILES; i++) {
    mkdirSync(join(output, `p${i}`), { recursive: true });
    writeFileSync(join(output, `p${i}`, "00-session-state.json"), sample("apex-7fe25a92").text);
  }
  const env = { PATH: process.env.PATH, HOME: place.home, REFLOAT_HOME: place.home, TERM: "xterm" };
  const atTerminal = (...more: string[]): string => {
    const command = [process.execPath, BIN, "state", "validate", "--format", "json", ...more].join(" ");
    // `script` gives the program a terminal; what it would show there is on our pipe.
    const { stdout, error } = spawnSync("script", ["-qec", `${command} > result.json`, "/dev/null"], {
      cwd: place.workspace,
      env,
      encoding: "utf8",
    });
    if (error) throw error;
    return stdout;
  };
  const shown = atTerminal();
  const bars = shown.split("\r").filter((piece) => piece.startsWith("["));
  expect(bars.length).toBeGreaterThan(0);
  for (const bar of bars) expect(bar).toMatch(/^\[#* *\] [\d,]+ of 6,000$/);
  expect(shown.endsWith("\r\x1b[K")).toBe(true);
  expect(atTerminal("--quiet")).toBe("");
  expect((await place.refloat(["state", "validate", "--format", "json"])).stderr).toBe("");
}, 120_000);

it("is as wide at the end as at the beginning and fits a narrow terminal", () => {
  const widths = [0, 1, 500, 999, 1000].map((done) => barText(done, 1000).indexOf("]"));
  expect(new Set(widths).size).toBe(1);
  expect(barText(1_000_000, 1_000_000).length).toBeLessThan(60);
});
