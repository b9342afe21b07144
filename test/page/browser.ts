/** A real Chromium at a real page, for as long as the test runs. */
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { chromiumPath, need } from "../support/needs.ts";
import type { ServedTest } from "./served.ts";
import { type BrowserPage, launched, tabAt } from "./tab.ts";

export async function browserAt(
  page: Pick<ServedTest, "origin" | "address">,
  options: BrowserContextOptions = {},
): Promise<BrowserPage> {
  need("chromium");
  const browser = await launched(chromiumPath() ?? "");
  onTestFinished(() => browser.close());
  return tabAt(browser, page, options);
}

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
