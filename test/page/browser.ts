/** A real Chromium at a real page, that reports everything it should not have to. */
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { chromiumPath, need } from "../support/needs.ts";
import type { ServedTest } from "./served.ts";

export interface BrowserPage extends Page {
  /** Errors of the page, refusals of its policy, and requests to anywhere else. */
  readonly wrong: string[];
}

export async function browserAt(page: ServedTest, options: BrowserContextOptions = {}): Promise<BrowserPage> {
  need("chromium");
  // Where tests run as root there is no sandbox of Chromium's own.
  const browser: Browser = await chromium.launch({
    executablePath: chromiumPath() ?? "",
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
  onTestFinished(() => browser.close());
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const tab = await context.newPage();
  const wrong: string[] = [];
  tab.on("pageerror", ({ message }) => wrong.push(`error: ${message}`));
  tab.on("console", (said) => {
    if (said.type() === "error") wrong.push(`console: ${said.text()}`);
  });
  tab.on("dialog", (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  tab.on("request", (asked) => {
    const url = asked.url();
    if (!url.startsWith(page.origin) && !url.startsWith("data:")) wrong.push(`request: ${url}`);
  });
  await tab.goto(page.address);
  return Object.assign(tab, { wrong });
}

/** The plan is on the screen; not that it is being made. */
export const planShown = async (tab: Page): Promise<void> => {
  await tab.getByRole("button", { name: /^Do it/ }).waitFor();
};

/** Nothing hangs over the right edge. */
export async function assertFits(tab: Page): Promise<void> {
  const [content = 0, screen = 0] = await tab.evaluate<number[]>(
    "[document.documentElement.scrollWidth, window.innerWidth]",
  );
  expect(content, tab.url()).toBeLessThanOrEqual(screen);
}

/** For docs/images, and to be looked at: where REFLOAT_SHOTS names a folder. */
export async function shot(tab: Page, name: string): Promise<void> {
  const folder = process.env.REFLOAT_SHOTS;
  if (folder) await tab.screenshot({ path: join(folder, `${name}.png`) });
}
