/** blackbox.html of a real bundle in a real Chromium, from a file: the page's own views, and nothing asked of anybody. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { chromiumPath, need } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { assertFits, shot } from "./browser.ts";
import { SERIOUS } from "./serious.ts";
import { story } from "./story.ts";

async function opened(file: string, options: BrowserContextOptions = {}) {
  need("chromium");
  const browser = await chromium.launch({
    executablePath: chromiumPath() ?? "",
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
  onTestFinished(() => browser.close());
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const tab: Page = await context.newPage();
  const [asked, wrong]: [string[], string[]] = [[], []];
  tab.on("request", (one) => asked.push(one.url()));
  tab.on("pageerror", ({ message }) => wrong.push(message));
  tab.on("console", (said) => said.type() === "error" && wrong.push(said.text()));
  tab.on("dialog", (dialog) => {
    wrong.push(dialog.message());
    void dialog.dismiss();
  });
  const url = pathToFileURL(file).href;
  await tab.goto(url);
  return { tab, asked, wrong, url };
}

/** All of it is there, and axe-core has nothing serious to say of it in either theme. */
async function assertReadable(tab: Page, name: string): Promise<void> {
  await expect.poll(() => tab.locator(".waiting, .record-wait").count(), { timeout: 30_000 }).toBe(0);
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  await tab.evaluate(axe);
  for (const colorScheme of ["light", "dark"] as const) {
    await tab.emulateMedia({ colorScheme });
    expect([name, colorScheme, await tab.evaluate<unknown[]>(SERIOUS)]).toEqual([name, colorScheme, []]);
  }
}

const HOSTILE = "</script></noscript><script>alert(1)</script><!--<img src=http://e.vil onerror=alert(2)>";

describe("blackbox.html", { timeout: 180_000 }, () => {
  it("T3, S7: shows a session from a file as the page does: no request, no foreign script, nothing to press that acts", async () => {
    const bundle = join(temporaryFolder(), "bundle");
    const more = [
      ["print", HOSTILE],
      ["write", "notes.md", `${HOSTILE}\n`],
    ];
    const told = await story(more, ["--bundle", bundle]);
    await told.kill();
    const file = join(bundle, "blackbox.html");
    const { tab, asked, wrong, url } = await opened(file);
    await tab.getByRole("heading", { name: "Risky 1" }).waitFor();
    const risky = tab.locator("article.group", { hasText: "src/cart.mjs" });
    await tab.keyboard.press("r");
    await risky.getByText("does not parse").waitFor();
    await risky.getByRole("button", { name: /^Show changes/ }).click();
    await risky.getByText("total +=").first().waitFor();
    expect(await tab.getByRole("button", { name: /Commit|Park|Discard|Leave|plan/ }).count()).toBe(0);
    await shot(tab, "blackbox-left");
    await assertReadable(tab, "What it left");
    await tab.getByRole("link", { name: "What happened" }).click();
    await tab.getByRole("heading", { name: "Its life", exact: true }).waitFor();
    await tab.getByText("ended without saying so").first().waitFor();
    await assertReadable(tab, "What happened");
    await tab.getByRole("link", { name: "Handoff" }).click();
    await tab.getByText("What the next session is told").waitFor();
    await assertReadable(tab, "Handoff");
    expect(await tab.getByRole("slider").count()).toBe(0);
    expect([...new Set(asked)]).toEqual([url]);
    expect(wrong).toEqual([]);
    const html = readFileSync(file, "utf8");
    expect(html).not.toContain("<img");
    expect(html.match(/<script/g)).toHaveLength(2);
    expect(html).toContain("default-src 'none'");
    // S7: what is in it is what the manifest beside it says.
    const manifest = JSON.parse(readFileSync(join(bundle, "manifest.json"), "utf8"));
    const [, text = "{}"] = /id="held">([\s\S]*?)<\/script>/.exec(html) ?? [];
    const { salvage } = JSON.parse(text);
    expect(salvage.groups).toEqual(manifest.groups);
  });

  it("is read on a phone, in the dark, and where no script runs at all", async () => {
    const bundle = join(temporaryFolder(), "bundle");
    const told = await story([], ["--bundle", bundle]);
    await told.kill();
    const file = join(bundle, "blackbox.html");
    const phone = { viewport: { width: 360, height: 740 }, colorScheme: "dark" } as const;
    const small = await opened(file, phone);
    await small.tab.getByRole("heading", { name: "Risky 1" }).waitFor();
    await assertFits(small.tab);
    await shot(small.tab, "blackbox-phone");
    const plain = await opened(file, { javaScriptEnabled: false });
    await plain.tab.getByRole("heading", { name: "Work left" }).waitFor();
    await plain.tab.getByText("src/cart.mjs").first().waitFor();
    expect([...small.wrong, ...plain.wrong]).toEqual([]);
  });
});
