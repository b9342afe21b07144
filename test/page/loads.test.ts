/** What the page costs: others nothing, a browser one answer after the page itself. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { leftTwoFiles } from "../support/left-session.ts";
import { chromiumPath, need } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { scene } from "../support/two-faces.ts";
import { withPage } from "./served.ts";
import { launched } from "./tab.ts";

const NOTING = pathToFileURL(join(import.meta.dirname, "note-loaded.mjs")).href;

describe("what the page costs", { timeout: 180_000 }, () => {
  it("P9: no other command loads the page's server, its framework or its files", async () => {
    const { place, repo } = scene();
    await leftTwoFiles(place, repo);
    const loadedBy = async (...args: string[]): Promise<string[]> => {
      const note = join(temporaryFolder(), "loaded");
      const child = place.start(args, { node: ["--import", NOTING], env: { NOTE_LOADED: note } });
      child.stdin?.end();
      if (args[0] === "serve") {
        while (!existsSync(note) || !/\/serve-/.test(readFileSync(note, "utf8"))) await sleep(50);
        child.kill();
      }
      await new Promise((resolve) => child.once("close", resolve));
      return [...new Set(readFileSync(note, "utf8").split("\n"))];
    };
    // The framework is copied into the program: which of its files have it, they say themselves.
    const hasFramework = (url: string): boolean =>
      /^file:.*\/dist\/.*\.js$/.test(url) &&
      /node_modules\/hono\//.test(readFileSync(fileURLToPath(url), "utf8"));
    const isOfPage = (url: string): boolean =>
      /hono|\/serve-|preact|diff2html/.test(url) || hasFramework(url);
    for (const command of [
      ["status"],
      ["sessions"],
      ["inspect"],
      ["show"],
      ["handoff"],
      ["doctor"],
      ["store", "info"],
      ["settle", "--dry-run"],
      ["run", "--", "true"],
      ["mcp"],
    ])
      expect([command, (await loadedBy(...command)).filter(isOfPage)]).toEqual([command, []]);
    // That this would have been seen.
    expect((await loadedBy("serve", "--no-open")).some(hasFramework)).toBe(true);
  });

  it("the first view is drawn from one answer after the page itself; nothing else is asked for but the stream of changes", async () => {
    need("chromium");
    const { place, repo } = scene();
    await leftTwoFiles(place, repo);
    await withPage(place, async (page) => {
      const browser = await launched(chromiumPath() ?? "");
      const tab = await (await browser.newContext()).newPage();
      const asked: string[] = [];
      tab.on("request", (request) => asked.push(new URL(request.url()).pathname));
      await tab.goto(page.address);
      await tab.getByRole("link", { name: "Decide what stays" }).waitFor();
      await browser.close();
      const isOwn = (path: string): boolean => !path.startsWith("image/svg");
      expect(asked.filter(isOwn).toSorted()).toEqual(["/", "/api/changes", "/api/home"]);
    });
  });
});
