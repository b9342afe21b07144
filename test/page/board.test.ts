/** The board in a real Chromium: the check as it runs, whole columns, pictures, conflicts, what is parked, work trees. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ANN } from "../support/left-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { browserAt, shot } from "./browser.ts";
import { withPage } from "./served.ts";
import { story } from "./story.ts";
import type { BrowserPage } from "./tab.ts";

const group = (tab: BrowserPage, path: string) => tab.locator("article.group", { hasText: path });

describe("the check on the board", { timeout: 180_000 }, () => {
  it("is watched while it runs: its output as it comes, without secrets, and what came of each run", async () => {
    const told = await story();
    await told.kill();
    const go = join(temporaryFolder(), "go");
    const check = `echo begins to look; echo token=ghp_${"a1B2c3D4e5F6".repeat(3)}; until [ -e ${go} ]; do sleep 0.05; done; echo has looked; test ! -e nowhere`;
    writeFileSync(go, "");
    // Typed by a person once: from then on it is his (T2).
    expect((await told.place.refloat(["inspect", "--verify", check], { env: ANN })).code).toBe(0);
    rmSync(go);
    await withPage(told.place, async (page) => {
      const tab = await browserAt(page);
      await tab.getByRole("link", { name: "Decide what stays" }).click();
      await tab.getByRole("button", { name: "Run it now" }).click();
      const output = tab.getByRole("region", { name: "What the check says" });
      await output.getByText("begins to look").waitFor();
      // It waits for the file: this is seen before it has ended.
      expect(existsSync(go)).toBe(false);
      expect(await output.textContent()).not.toContain("has looked");
      expect(await output.textContent()).not.toContain("a1B2c3D4e5F6");
      await tab.getByText("is being checked").first().waitFor();
      await shot(tab, "check-runs");
      writeFileSync(go, "");
      await tab.getByText("your last commit with src/taxed.mjs").waitFor();
      await tab.getByRole("button", { name: "Run it now" }).waitFor();
      await output.getByText("has looked").waitFor();
      expect(await tab.locator(".watched-runs").textContent()).toMatch(/src\/taxed\.mjs passed/);
      await tab.getByText("is in these verdicts").waitFor();
      await group(tab, "src/taxed.mjs").waitFor();
      await shot(tab, "check-ran");
      expect(tab.wrong).toEqual([]);
    });
  });
});
