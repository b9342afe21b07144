/** S7: what a person can do about a reason, or about a process that was left, stands on the page in the words of the command line. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isListening } from "../../src/platform/listening.ts";
import { killGroup, startSupervised, until, wreckPlace } from "../recover/supervised.ts";
import { isAlive } from "../run/run-scene.ts";
import type { JsonObject } from "../support/cli.ts";
import { need } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { browserAt } from "./browser.ts";
import { withPage } from "./served.ts";
import { story } from "./story.ts";
import { group, planShown } from "./tab.ts";

const oneSpaced = (text: string): string => text.replaceAll(/\s+/g, " ");

describe("what to do about it", { timeout: 180_000 }, () => {
  it("S7: a reason's remedy is read on the first view, on the board, folded and open, and in a bundle where no script runs, as a terminal says it", async () => {
    const bundle = join(temporaryFolder(), "bundle");
    const told = await story([], ["--bundle", bundle]);
    await told.kill();
    const { stdout } = await told.place.refloat(["inspect", "shop", "--all"]);
    await withPage(told.place, async (page) => {
      const { groups } = await page.json("/api/sessions/shop/salvage");
      const [cart] = groups.filter(({ verdict }: JsonObject) => verdict === "risky");
      const said = cart.reasons.map(({ message, remedy }: JsonObject) => `${message} ${remedy}`);
      expect(said[0]).not.toContain("undefined");
      for (const one of said) expect(oneSpaced(stdout)).toContain(one);
      const tab = await browserAt(page);
      await tab.locator(".stake-list").getByText(said[0], { exact: true }).waitFor();
      await tab.getByRole("link", { name: "Decide what stays" }).click();
      const card = group(tab, "src/cart.mjs");
      await card.locator(".reasons").getByText(said[0], { exact: true }).waitFor();
      await card.getByRole("button", { name: /^Why/ }).click();
      for (const one of said) await card.locator(".reasons").getByText(one).waitFor();
      const html = readFileSync(join(bundle, "blackbox.html"), "utf8");
      const plain = /<main class="plain-box">[\s\S]*?<\/main>/.exec(html)?.[0];
      for (const { remedy } of cart.reasons) expect(plain).toContain(remedy);
      expect(tab.wrong).toEqual([]);
    });
  });

  it("S2, S7: of a server that it left running the board says why refloat leaves it and what ends it, and a plan does not say that it is stopped", async () => {
    need("chromium");
    const wreck = wreckPlace();
    const server = `require("net").createServer().listen(0, "127.0.0.1"); setInterval(() => 0, 1000)`;
    const note = join(wreck.place.home, "server");
    const { supervisor, agent } = await startSupervised(wreck, {
      id: "alone",
      agent: `setsid ${process.execPath} -e '${server}' & echo $! > ${note}; exec sleep 1000`,
    });
    onTestFinished(() => killGroup(agent));
    const pid = (): number => (existsSync(note) ? Number(readFileSync(note, "utf8")) : 0);
    await until(() => pid() > 1 && isListening(pid()) === true, "it listens");
    onTestFinished(() => void (isAlive(pid()) && process.kill(pid(), "SIGKILL")));
    await supervisor.kill();
    process.kill(agent, "SIGKILL");
    wreck.repository.write("a.txt", "two\n");
    await withPage(wreck.place, async (page) => {
      const tab = await browserAt(page);
      await tab.goto(`${page.origin}/#/session/alone/left`);
      const kept = "refloat leaves it running: it is a server that others may be connected to.";
      const ends = `If nobody needs it, this ends it: kill ${pid()}`;
      const notice = tab.locator("main .notice", { hasText: "of it still run" });
      await notice.getByText(kept).waitFor();
      expect(oneSpaced((await notice.textContent()) ?? "")).toContain(ends);
      await group(tab, "a.txt").getByRole("button", { name: "Leave", exact: true }).click();
      await tab.getByRole("button", { name: /^Show the plan/ }).click();
      await planShown(tab);
      const dialog = tab.getByRole("dialog");
      await dialog.getByText("These go on running").waitFor();
      expect(await dialog.getByText("First these are stopped").count()).toBe(0);
      expect(tab.wrong).toEqual([]);
    });
  });
});
