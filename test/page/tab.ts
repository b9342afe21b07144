/** A tab of a real Chromium that reports everything it should not have to; and the story that a person goes through in one. */
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core";

export interface BrowserPage extends Page {
  /** Errors of the page, refusals of its policy, and requests to anywhere else. */
  readonly wrong: string[];
}

/** Where tests run as root there is no sandbox of Chromium's own. */
export const launched = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });

export async function tabAt(
  browser: Browser,
  { origin, address }: { readonly origin: string; readonly address: string },
  options: BrowserContextOptions = {},
): Promise<BrowserPage> {
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
    // What a page made itself lies in its own memory.
    const isOwn = [origin, `blob:${origin}`, "data:"].some((begin) => url.startsWith(begin));
    if (!isOwn) wrong.push(`request: ${url}`);
  });
  await tab.goto(address);
  return Object.assign(tab, { wrong });
}

/** The plan is on the screen; not that it is being made. */
export const planShown = async (tab: Page): Promise<void> => {
  await tab.getByRole("button", { name: /^Do it/ }).waitFor();
};

export const group = (tab: Page, path: string): Locator => tab.locator("article.group", { hasText: path });

/** Tree and history, each time something was done on the page. */
export interface Decided<Look> {
  /** The plan is on the screen, and nobody has agreed to it. */
  readonly planned: Look;
  readonly done: Look;
  readonly back: Look;
  readonly again: Look;
}

/** The shop's agent is dead (shop.ts): why its cart is risky is read, it is parked, the tax committed, all taken back, done again. */
export async function decidedInTab<Look>(tab: BrowserPage, look: () => Look): Promise<Decided<Look>> {
  await tab.getByRole("link", { name: "Decide what stays" }).click();
  const risky = group(tab, "src/cart.mjs");
  await risky.getByRole("button", { name: /^Why/ }).click();
  await risky.getByText("does not parse").waitFor();
  await risky.getByText("src/cart.mjs:8", { exact: false }).waitFor();
  await risky.getByRole("button", { name: /^Show changes/ }).click();
  await risky.getByText("total +=").waitFor();
  await risky.getByRole("button", { name: /^Hide changes/ }).click();
  await risky.getByRole("button", { name: "Park", exact: true }).click();
  await group(tab, "src/taxed.mjs").getByRole("button", { name: "Commit", exact: true }).click();
  await tab.getByRole("button", { name: /^Show the plan/ }).click();
  await planShown(tab);
  const planned = look();
  const agreed = async (button: string | null, said: string): Promise<Look> => {
    if (button !== null) await tab.getByRole("button", { name: button }).click();
    await planShown(tab);
    await tab.getByRole("button", { name: /^Do it/ }).click();
    await tab.getByText(said).waitFor();
    return look();
  };
  const done = await agreed(null, "1 file committed");
  await tab.getByText("Nothing left to decide").waitFor();
  const back = await agreed("Take it back", "Taken back");
  await group(tab, "src/cart.mjs").waitFor();
  const again = await agreed("Do it again", "Done again");
  return { planned, done, back, again };
}
