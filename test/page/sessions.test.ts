/** The list of sessions, as programs ask for it and as a person looks through it; and what a view says where its server is gone, or is another's. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RefloatStore } from "../../src/app/store/open-store.ts";
import { deadOwner, type JsonObject, type Place } from "../support/cli.ts";
import { leftSession } from "../support/left-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type Scene, scene } from "../support/two-faces.ts";
import { browserAt } from "./browser.ts";
import { type ServedTest, served, withPage } from "./served.ts";
import type { BrowserPage } from "./tab.ts";

interface Places extends Scene {
  /** Another work tree of the same repository, and a folder that has nothing to do with it. */
  readonly beside: string;
  readonly elsewhere: string;
}

function places(): Places {
  const at = scene();
  at.repo.write("base.txt", "base\n");
  at.repo.commit("base");
  const beside = join(temporaryFolder(), "beside");
  at.repo.git("worktree", "add", "-q", "-b", "beside", beside);
  return { ...at, beside, elsewhere: temporaryFolder() };
}

/** One in every state, over both work trees, and one elsewhere; while `use` runs, one is at work. */
async function withEveryState<T>(at: Places, use: () => Promise<T>): Promise<T> {
  const { place, repo, beside, elsewhere } = at;
  await leftSession(place, repo, {
    id: "left-one",
    edits: { "n.md": () => repo.write("n.md", "A note.\n") },
  });
  return place.withStore(async (store) => {
    const begin = (id: string, workspace: string, more: object = {}) =>
      store.begin({ id, agent: "tester", workspace, captures: "off", ...more });
    await (await begin("finished-one", repo.root, { name: "Invoices" })).finish();
    await (await begin("idle-one", beside, { agent: "Painter" })).release();
    await (await begin("cut-one", beside, { owner: deadOwner() })).turn("go");
    await (await begin("elsewhere-one", elsewhere)).finish();
    await (await begin("held-one", repo.root)).release();
    expect((await place.refloat(["suspend", "held-one", "--reason", "it waits"])).code).toBe(0);
    await (await begin("live-one", repo.root)).turn("go");
    return use();
  });
}

const idsOf = ({ sessions }: JsonObject): string[] => sessions.map(({ id }: JsonObject) => id);
const listed = async (page: ServedTest, query: string): Promise<string[]> =>
  idsOf(await page.json(`/api/sessions?${query}`)).toSorted();

/** So many, all over; each a millisecond's worth of a session. */
async function manySessions({ place, repo }: Scene, many: number): Promise<void> {
  const make = async (store: RefloatStore, n: number): Promise<void> => {
    const about = { id: `many-${n}`, agent: "tester", workspace: repo.root, captures: "off" } as const;
    await (await store.begin(about)).finish();
  };
  await place.withStore(async (store) => {
    await Promise.all(Array.from({ length: many }, (_, n) => make(store, n)));
  });
}

describe("the list of sessions, asked by a program", { timeout: 120_000 }, () => {
  it("S7: has by scope what `refloat sessions` has: of all work trees in one list, of this one alone, of the whole store", async () => {
    const at = places();
    await withEveryState(at, () =>
      withPage(at.place, async (page) => {
        for (const [scope, flags] of [
          ["repository", []],
          ["here", ["--here"]],
          ["all", ["--all"]],
        ] as const) {
          const { json } = await at.place.json(["sessions", ...flags]);
          expect([scope, (await page.json(`/api/sessions?scope=${scope}`)).sessions]).toEqual([
            scope,
            json.sessions,
          ]);
        }
        const ours = ["cut-one", "finished-one", "held-one", "idle-one", "left-one", "live-one"];
        expect(await listed(page, "")).toEqual(ours);
        expect(await listed(page, "scope=here")).toEqual(ours.filter((id) => !/cut|idle/.test(id)));
        expect(await listed(page, "scope=all")).toEqual([...ours, "elsewhere-one"].toSorted());
      }),
    );
  });

  it("is narrowed by each state, and by a search in id, name, agent, folder and cause, however it is written", async () => {
    const at = places();
    await withEveryState(at, () =>
      withPage(at.place, async (page) => {
        for (const [state, ids] of [
          ["live", ["live-one"]],
          ["idle", ["idle-one", "left-one"]],
          ["interrupted", ["cut-one"]],
          ["suspended", ["held-one"]],
          ["finished", ["finished-one"]],
          ["unsettled", ["left-one"]],
        ] as const)
          expect([state, await listed(page, `state=${state}`)]).toEqual([state, ids]);
        for (const [search, ids] of [
          ["INVOICE", ["finished-one"]],
          ["painter", ["idle-one"]],
          ["held-", ["held-one"]],
          ["Beside", ["cut-one", "idle-one"]],
          ["no such thing", []],
          ["%", []],
        ] as const)
          expect([search, await listed(page, `search=${encodeURIComponent(search)}`)]).toEqual([search, ids]);
        expect(await listed(page, "search=beside&state=interrupted")).toEqual(["cut-one"]);
        const all = await page.json("/api/sessions?search=beside");
        expect([all.found, all.in_all]).toEqual([2, 6]);
      }),
    );
  });

  it("T5: comes in pages that leave none out and have none twice, and what is no page is refused with its reason", async () => {
    const at = scene();
    await manySessions(at, 23);
    await withPage(at.place, async (page) => {
      const whole = await page.json("/api/sessions");
      expect([whole.found, whole.in_all, idsOf(whole).length]).toEqual([23, 23, 23]);
      const pages: string[] = [];
      for (let skip = 0; skip < 30; skip += 10)
        pages.push(...idsOf(await page.json(`/api/sessions?skip=${skip}&limit=10`)));
      expect(pages).toEqual(idsOf(whole));
      expect(idsOf(await page.json("/api/sessions?skip=23"))).toEqual([]);
      for (const wrong of [
        "limit=0",
        "limit=501",
        "skip=-1",
        "skip=x",
        "state=gone",
        "scope=mine",
        "searching=x",
      ])
        expect([wrong, (await page.json(`/api/sessions?${wrong}`)).code]).toEqual([wrong, "E_USAGE"]);
    });
  });
});

const rows = (tab: BrowserPage) => tab.locator("ul.rows li");
const said = (tab: BrowserPage, words: string) =>
  tab.getByRole("status").getByText(words, { exact: true }).waitFor();

describe("the list of sessions, looked through", { timeout: 180_000 }, () => {
  it("is searched, filtered and widened, and says how many there are of how many; where none is like that it says so", async () => {
    const at = places();
    await withEveryState(at, () =>
      withPage(at.place, async (page) => {
        const tab = await browserAt(page);
        await tab.goto(`${page.origin}/#/sessions`);
        await said(tab, "6 sessions");
        const search = tab.getByRole("searchbox", { name: "Search by id, name, agent or folder" });
        await search.fill("invoice");
        await said(tab, "1 of 6 sessions");
        expect(await rows(tab).textContent()).toContain("Invoices");
        await search.fill("nothing of the kind");
        await tab.getByText("No session is like that.").waitFor();
        await search.fill("");
        for (const [filter, words, name] of [
          ["Work at stake", "1 of 6 sessions", "tester"],
          ["Cut off", "1 of 6 sessions", "tester"],
          ["Suspended", "1 of 6 sessions", "it waits"],
          ["At work", "1 of 6 sessions", "at work"],
          ["Between turns", "2 of 6 sessions", "Painter"],
          ["Finished", "1 of 6 sessions", "Invoices"],
        ] as const) {
          await tab.locator("label.chip", { hasText: filter }).click();
          await tab.locator("ul.rows", { hasText: name }).waitFor();
          await said(tab, words);
        }
        await tab.locator("label.chip", { hasText: "All" }).click();
        const scope = tab.getByRole("combobox");
        await scope.selectOption("this work tree");
        await said(tab, "4 sessions");
        expect(await tab.locator(".row-where").count()).toBe(0);
        await scope.selectOption("everything");
        await said(tab, "7 sessions");
        expect((await tab.locator(".row-where").allTextContents()).toSorted()).toEqual(
          [at.beside, at.beside, at.elsewhere, ...Array(4).fill(at.repo.root)].toSorted(),
        );
        // What is looked at is part of the address: it is there again, loaded anew and on the way back.
        await tab.locator("label.chip", { hasText: "Finished" }).click();
        await said(tab, "2 of 7 sessions");
        await tab.reload();
        await said(tab, "2 of 7 sessions");
        await rows(tab).getByText(at.elsewhere, { exact: true }).click();
        await tab.getByRole("heading", { name: "Its life" }).waitFor();
        await tab.goBack();
        await said(tab, "2 of 7 sessions");
        await tab.goto(`${page.origin}/#/sessions?state=nonsense&scope=mine&search=invoice%23`);
        await said(tab, "0 of 6 sessions");
        expect(tab.wrong).toEqual([]);
      }),
    );
  });

  it("is led to by the first view with the filter that its link is of, and says of which folder each is where they are of several", async () => {
    const at = places();
    await at.place.withStore(async (store) => {
      for (let i = 0; i < 7; i++) {
        const workspace = i === 0 ? at.beside : at.repo.root;
        const about = { agent: "tester", workspace, captures: "off", owner: deadOwner() } as const;
        await (await store.begin({ ...about, id: `cut-${i}` })).turn("go");
      }
      await (await store.begin({ id: "over", agent: "tester", workspace: at.repo.root })).finish();
    });
    await withPage(at.place, async (page) => {
      const tab = await browserAt(page);
      await tab.getByRole("link", { name: "2 more sessions like these" }).waitFor();
      expect(await tab.locator(".row-where").first().textContent()).toBe(at.repo.root);
      await tab.getByRole("link", { name: "2 more sessions like these" }).click();
      await said(tab, "7 of 8 sessions");
      expect(await tab.getByRole("radio", { name: "Cut off" }).isChecked()).toBe(true);
      await rows(tab).getByText(at.beside, { exact: true }).waitFor();
      await tab.getByRole("link", { name: "Sessions", exact: true }).click();
      await said(tab, "8 sessions");
      expect(tab.wrong).toEqual([]);
    });
  });

  it("T5: shows more as long as there is more, also beyond what one answer has; another search begins at its newest", async () => {
    const at = scene();
    const MANY = 620;
    await manySessions(at, MANY);
    await withPage(at.place, async (page) => {
      const tab = await browserAt(page);
      await tab.goto(`${page.origin}/#/sessions`);
      await said(tab, `${MANY} sessions`);
      const more = tab.getByRole("button", { name: "Show more" });
      for (let there = 100; there < MANY; there += 100) {
        expect(await rows(tab).count()).toBe(there);
        await more.click();
        await rows(tab).nth(there).waitFor();
      }
      expect(await more.count()).toBe(0);
      const hrefs = await tab.evaluate<string[]>(
        "[...document.querySelectorAll('ul.rows a')].map((one) => one.href)",
      );
      expect(new Set(hrefs).size).toBe(MANY);
      await tab.getByRole("searchbox").fill("many-");
      await more.waitFor();
      expect(await rows(tab).count()).toBe(100);
      expect(tab.wrong).toEqual([]);
    });
  });
});

const tokenFile = (letter: string): string => {
  const file = join(temporaryFolder(), "token");
  writeFileSync(file, letter.repeat(40), { mode: 0o600 });
  return file;
};

/** Ended with the test at the latest. */
async function servedUntilEnd(place: Place, args: readonly string[]): Promise<ServedTest> {
  const page = await served(place, args);
  onTestFinished(async () => void (await page.end()));
  return page;
}

describe("a view whose server is gone, or is another's", { timeout: 180_000 }, () => {
  it("T1: a view that failed says why and is tried again, by whoever looks; nothing old stands there as if it were new", async () => {
    const at = scene();
    await manySessions(at, 2);
    await withPage(at.place, async (page) => {
      const tab = await browserAt(page);
      let isBroken = true;
      const failure = { code: "E_STORE_BUSY", message: "The store is busy.", hint: "Run `refloat doctor`." };
      await tab.route("**/api/sessions?*", (asked) =>
        isBroken ? asked.fulfill({ status: 503, json: failure }) : asked.continue(),
      );
      await tab.goto(`${page.origin}/#/sessions`);
      const alert = tab.getByRole("alert");
      await alert.getByText("The store is busy.").waitFor();
      await alert.getByText("refloat doctor").waitFor();
      isBroken = false;
      await tab.getByRole("button", { name: "Try again" }).click();
      await said(tab, "2 sessions");
      expect(await alert.count()).toBe(0);
    });
  });

  it("the dot says that the server is gone, and that it is there again, after which what is shown is what is so", async () => {
    const at = scene();
    await manySessions(at, 2);
    const file = tokenFile("t");
    const first = await servedUntilEnd(at.place, ["--token-file", file]);
    const tab = await browserAt(first);
    await tab.goto(`${first.origin}/#/sessions`);
    await said(tab, "2 sessions");
    const dot = tab.locator(".dot");
    await tab.locator(".dot-live").waitFor();
    await first.end("SIGKILL");
    await tab.locator(".dot-waiting").waitFor();
    expect(await dot.textContent()).toBe("Waiting for the server; what is shown may be old");
    expect(await rows(tab).count()).toBe(2);
    await at.place.withStore(async (store) => {
      const about = { id: "later", agent: "tester", workspace: at.repo.root } as const;
      await (await store.begin(about)).finish();
    });
    await servedUntilEnd(at.place, ["--token-file", file, "--port", new URL(first.origin).port]);
    await tab.locator(".dot-live").waitFor();
    await said(tab, "3 sessions");
  });

  it("G3: started again with another token it knows this page no more, which says so; the new address, opened in the same tab, is enough", async () => {
    const at = scene();
    await manySessions(at, 2);
    const first = await servedUntilEnd(at.place, ["--token-file", tokenFile("a")]);
    const tab = await browserAt(first);
    await tab.goto(`${first.origin}/#/sessions`);
    await said(tab, "2 sessions");
    await first.end("SIGKILL");
    const { port } = new URL(first.origin);
    const again = await servedUntilEnd(at.place, ["--token-file", tokenFile("b"), "--port", port]);
    await tab.getByRole("alert").getByText("This page is no longer the server's").waitFor();
    expect(await tab.locator(".dot-refused").count()).toBe(1);
    await tab.goto(again.address);
    await tab.locator(".dot-live").waitFor();
    await tab.getByText("Nothing is at stake").waitFor();
    expect(tab.url()).not.toContain(again.token);
    // Who came without one: the same.
    const other = await tab.context().newPage();
    await other.goto(again.origin);
    await other.getByText("This address is not enough").waitFor();
    await other.goto(again.address);
    await other.getByText("Nothing is at stake").waitFor();
    expect(other.url()).not.toContain(again.token);
  });
});
