/** Handoff, doctor and storage on the page: what they say is what the command line says (S7), and the budget is the reader's own. */
import { describe, expect, it } from "vitest";
import { MAX_BUDGET_TOKENS, MIN_BUDGET_TOKENS } from "../../src/model/limits.ts";
import { openRawStore } from "../../src/store/open-raw-store.ts";
import { cutOffSession, type JsonObject, type Place } from "../support/cli.ts";
import { ANN, leftTwoFiles } from "../support/left-session.ts";
import { manualClock } from "../support/manual-clock.ts";
import { scene } from "../support/two-faces.ts";
import { browserAt } from "./browser.ts";
import { withPage } from "./served.ts";

/** What a command prints, without what every command prints. */
async function byCli(place: Place, ...args: string[]): Promise<JsonObject> {
  const { schema, command, version, ...rest } = (await place.json(args, { env: ANN })).json;
  return rest;
}

const UNNAMED_BYTES = 200_000;

/** Two sessions and work that is held: something to be told by every view. */
async function made() {
  const at = scene();
  await leftTwoFiles(at.place, at.repo);
  await cutOffSession(at.place, { id: "cut-one", name: "cut" });
  await at.place.refloat(["capture"], { env: ANN });
  return at;
}

describe("the brief", { timeout: 120_000 }, () => {
  it("S7: is the command line's within whatever budget is asked for; one that is none is refused with its bounds", async () => {
    const { place } = await made();
    await withPage(place, async (page) => {
      const path = "/api/sessions/cut-one/handoff";
      const seen = new Set<string>();
      for (const budget of [MIN_BUDGET_TOKENS, 200, 300, 2000, MAX_BUDGET_TOKENS]) {
        const brief = await byCli(place, "handoff", "cut-one", "--budget", String(budget));
        const told = await page.json(`${path}?budget=${budget}`);
        const { markdown, tokens, left_out } = told;
        expect([told.budget, markdown, tokens, left_out]).toEqual([
          budget,
          brief.markdown,
          brief.tokens,
          brief.left_out,
        ]);
        expect(tokens).toBeLessThanOrEqual(budget);
        seen.add(markdown);
      }
      expect(seen.size).toBeGreaterThan(1);
      for (const wrong of [MIN_BUDGET_TOKENS - 1, MAX_BUDGET_TOKENS + 1, "1.5", "many"])
        expect([wrong, (await page.json(`${path}?budget=${wrong}`)).code]).toEqual([wrong, "E_USAGE"]);
    });
  });

  it("S7: by the slider, with a pointer or with keys, is the brief of that budget, and the command beside it prints the same", async () => {
    const { place } = await made();
    await withPage(place, async (page) => {
      const tab = await browserAt(page);
      await tab.goto(`${page.origin}/#/session/cut-one/handoff`);
      const [slider, brief] = [tab.getByRole("slider", { name: /^Budget/ }), tab.locator(".brief")];
      const shows = async (budget: number): Promise<void> => {
        await tab.locator(".command", { hasText: `--budget ${budget}` }).waitFor();
        await tab.locator(".slider b").getByText(String(budget), { exact: true }).waitFor();
        const typed = await tab.locator(".command code").textContent();
        const words = (typed ?? "").split(" ").slice(1);
        const { stdout } = await place.refloat(words, { env: ANN });
        expect((await brief.textContent())?.trim()).toBe(stdout.trim());
      };
      await shows((await page.json("/api/sessions/cut-one/handoff")).budget);
      await slider.fill("300");
      await shows(300);
      await slider.press("ArrowLeft");
      await shows(200);
      await slider.press("End");
      await shows(8000);
      await tab.getByText("nothing is left out").waitFor();
      expect(tab.wrong).toEqual([]);
    });
  });
});

describe("doctor and storage", { timeout: 120_000 }, () => {
  it("S7: doctor's findings are those of `refloat doctor`, with its commands, on the screen too", async () => {
    const { place } = await made();
    await withPage(place, async (page) => {
      const { findings } = await byCli(place, "doctor");
      expect(findings.length).toBeGreaterThan(0);
      expect((await page.json("/api/doctor")).findings).toEqual(findings);
      const tab = await browserAt(page);
      await tab.goto(`${page.origin}/#/doctor`);
      for (const { message, command } of findings) {
        const finding = tab.locator(".finding", { hasText: message });
        await finding.waitFor();
        expect(await finding.locator(".command code").textContent()).toBe(command);
      }
    });
  });

  it("S7: storage is what `refloat store info` says, and what can be freed what `store gc --dry-run` says; looking frees nothing", async () => {
    const { place } = await made();
    // Two hours ago: what was put within the last one is not dropped.
    const before = await openRawStore(place.store, {
      thread: false,
      clock: manualClock(Date.now() - 7_200_000),
    });
    await before.putContent(Buffer.alloc(UNNAMED_BYTES, "f"));
    await before.close();
    await withPage(place, async (page) => {
      const told = await page.json("/api/storage");
      const info = await byCli(place, "store", "info");
      const shared = Object.keys(info).filter((name) => name in told);
      for (const name of ["sessions", "records", "contents", "content_bytes", "location", "engine"])
        expect(shared).toContain(name);
      for (const name of shared) expect([name, told[name]]).toEqual([name, info[name]]);
      const { done, ...free } = await byCli(place, "store", "gc", "--dry-run");
      expect([done, told.would_free]).toEqual([false, free]);
      expect(free).toMatchObject({ contents: 1, bytes: UNNAMED_BYTES });
      const tab = await browserAt(page);
      await tab.goto(`${page.origin}/#/storage`);
      await tab.getByRole("heading", { name: "195.3 KiB can be freed", exact: true }).waitFor();
      await tab.getByText("1 content that no record names any more").waitFor();
      expect(await byCli(place, "store", "info")).toEqual(info);
    });
  });
});
