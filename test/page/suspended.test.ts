/** A session that is suspended by somebody's order did not die of it: the page says who holds it and what ends that, and draws no death (L4, T1). */
import { describe, expect, it } from "vitest";
import { deadOwner, type Place } from "../support/cli.ts";
import { type Scene, scene } from "../support/two-faces.ts";
import { browserAt, shot } from "./browser.ts";
import { withPage } from "./served.ts";

const REASON = "it waits for Ann";

/** It said something, ended by its own word, and is held since. */
async function suspended(): Promise<Scene> {
  const at = scene();
  at.repo.write("f.txt", "one\n");
  at.repo.commit("base");
  await at.place.withStore(async (store) => {
    const about = { id: "held-one", agent: "tester", workspace: at.repo.root, captures: "off" } as const;
    const session = await store.begin(about);
    const turn = await session.turn("Write the invoice.");
    await turn.append({ role: "assistant", parts: "Here it is." });
    await turn.end("completed");
    await session.release();
  });
  await suspend(at.place, "held-one");
  return at;
}

async function suspend(place: Place, id: string): Promise<void> {
  expect((await place.refloat(["suspend", id, "--reason", REASON])).code).toBe(0);
}

describe("a session that is suspended", { timeout: 120_000 }, () => {
  it("L4, T1: is said to be suspended, with the reason and what ends it; nothing of it is red, cut off, or ended here", async () => {
    const { place } = await suspended();
    await withPage(place, async (page) => {
      const tab = await browserAt(page);
      await tab.getByRole("heading", { name: "1 session is suspended; no work is at stake" }).waitFor();
      const card = tab.locator("article.hero");
      await card.getByRole("heading", { name: "tester: it is suspended" }).waitFor();
      await card.getByText(REASON).waitFor();
      await card.getByText("refloat lift held-one", { exact: true }).waitFor();
      expect(await card.getAttribute("class")).not.toContain("hero-bad");
      expect(await tab.locator("main").textContent()).not.toMatch(/cut off|saying so/);
      await tab.getByRole("link", { name: "See what happened" }).click();
      const picture = tab.locator(".life-svg");
      await picture.getByText("suspended at").waitFor();
      expect(await picture.getByText("it ended here").count()).toBe(0);
      expect(await picture.locator(".bar-bad").count()).toBe(0);
      await tab.getByRole("region", { name: "Conversation" }).getByText(`suspended: ${REASON}`).waitFor();
      await shot(tab, "suspended");
      expect(tab.wrong).toEqual([]);
    });
  });

  it("T1: beside one that was cut off both are counted; one that died and was suspended then has both moments", async () => {
    const { place, repo } = await suspended();
    await place.withStore(async (store) => {
      const about = { agent: "tester", workspace: repo.root, captures: "off" } as const;
      for (const id of ["cut-one", "died-one"]) {
        const session = await store.begin({ ...about, id, name: id, owner: deadOwner() });
        await session.turn("go");
      }
      // Whoever goes on with it recovers it first: its cause is known from then on.
      await (await store.begin({ ...about, id: "died-one" })).release();
    });
    await suspend(place, "died-one");
    await withPage(place, async (page) => {
      const { cause } = (await page.json("/api/sessions/died-one")).session;
      expect([null, "clean"]).not.toContain(cause);
      const tab = await browserAt(page);
      const words = "2 sessions were cut off, 1 is suspended; no work is at stake";
      await tab.getByRole("heading", { name: words }).waitFor();
      const card = tab.locator("article.hero", { hasText: "died-one" });
      expect(await card.getAttribute("class")).toContain("hero-bad");
      await card.getByText("refloat lift died-one", { exact: true }).waitFor();
      await tab.goto(`${page.origin}/#/session/died-one`);
      const picture = tab.locator(".life-svg");
      await picture.getByText("it ended here").waitFor();
      await picture.getByText("suspended at").waitFor();
    });
  });
});
