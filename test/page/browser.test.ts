/** The page in a real Chromium: the whole story, by mouse, by keys alone, on a phone; and with everything in it that wants to be a script. */

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { deadOwner } from "../support/cli.ts";
import { leftSession } from "../support/left-session.ts";
import { scene } from "../support/two-faces.ts";
import { assertFits, browserAt } from "./browser.ts";
import { SERIOUS } from "./serious.ts";
import { withPage } from "./served.ts";
import { story } from "./story.ts";
import { decidedInTab, group, planShown } from "./tab.ts";

describe("the page in a browser", { timeout: 180_000 }, () => {
  it("tells the whole story: an agent is killed, why its work is risky is read, that is parked, the safe part committed, taken back, done again", async () => {
    const told = await story();
    const { repo } = told;
    const status = (): string => repo.git("status", "--porcelain", "-uall");
    const head = (): string => repo.git("rev-parse", "HEAD").trim();
    await withPage(told.place, async (page) => {
      const tab = await browserAt(page);
      await tab.getByText("At work now").waitFor();
      const look = () => ({ status: status(), head: head(), log: repo.git("log", "--format=%s") });
      const before = look();
      await told.kill();
      // Without a reload.
      const { planned, done, back, again } = await decidedInTab(tab, look);
      // W1: nothing is done before somebody agrees.
      expect([planned, back]).toEqual([before, before]);
      for (const { status, log } of [done, again])
        expect([status, log.split("\n")[0]]).toEqual(["", "add the tax"]);
      expect(repo.git("show", "--stat", "--format=", "HEAD")).toContain("src/taxed.mjs");
      expect(tab.wrong).toEqual([]);
    });
  });

  it("is worked by keys alone, the review's: nothing is agreed to by a key that was meant for something else", async () => {
    const told = await story();
    await told.kill();
    await withPage(told.place, async (page) => {
      const tab = await browserAt(page);
      await tab.getByRole("link", { name: "Decide what stays" }).waitFor();
      const press = (...keys: string[]): Promise<void> =>
        keys.reduce((done, key) => done.then(() => tab.keyboard.press(key)), Promise.resolve());
      for (let i = 0; i < 20; i++) {
        await press("Tab");
        if (await tab.evaluate<boolean>('document.activeElement?.textContent === "Decide what stays"')) break;
      }
      await press("Enter");
      await group(tab, "src/taxed.mjs").waitFor();
      await press("r", "d");
      await group(tab, "src/cart.mjs").getByText("does not parse").waitFor();
      await group(tab, "src/cart.mjs").getByText("total +=").waitFor();
      await press("d", "r");
      // To commit what is risky takes the key twice (R2); another key takes it back.
      await press("c");
      await tab.getByText("It is risky. Commit it all the same?").waitFor();
      await press("n", "b");
      expect(await tab.getByText("1 of 2 groups").count()).toBe(0);
      await press("p", "n", "c", "?");
      await tab.getByText("2 of 2 groups: commit 1, park 1").waitFor();
      await tab.getByText("agree to the plan").waitFor();
      await press("Enter");
      await planShown(tab);
      await press("Enter", "q");
      expect(told.repo.git("status", "--porcelain", "-uall")).not.toBe("");
      await tab.getByRole("dialog").waitFor({ state: "hidden" });
      await press("Enter");
      await planShown(tab);
      await press("y");
      await tab.getByText("1 file committed").waitFor();
      expect(told.repo.git("status", "--porcelain", "-uall")).toBe("");
      const onto = async (button: string): Promise<void> => {
        await tab.getByRole("button", { name: button, exact: true }).waitFor();
        const isThere = `document.activeElement?.textContent === ${JSON.stringify(button)}`;
        for (let i = 0; i < 40 && !(await tab.evaluate<boolean>(isThere)); i++) await press("Tab");
        await press("Enter");
        await planShown(tab);
      };
      await onto("Take it back");
      expect(told.repo.git("log", "-1", "--format=%s").trim()).not.toBe("base");
      await press("y");
      await tab.getByText("Taken back").waitFor();
      expect(told.repo.git("log", "-1", "--format=%s").trim()).toBe("base");
      expect(told.repo.git("status", "--porcelain", "-uall").trim().split("\n")).toHaveLength(2);
      await onto("Do it again");
      await press("y");
      await tab.getByText("Done again").waitFor();
      expect(told.repo.git("status", "--porcelain", "-uall")).toBe("");
      expect(tab.wrong).toEqual([]);
    });
  });

  it("says in one sentence what is at stake, and shows that before what only died, though it died later", async () => {
    const told = await story();
    await told.kill();
    await told.place.withStore(async (store) => {
      const session = await store.begin({
        ...{ id: "later-one", name: "later", agent: "tester", workspace: told.repo.root, owner: deadOwner() },
        captures: "off",
      });
      await session.turn("go");
    });
    await withPage(told.place, async (page) => {
      const tab = await browserAt(page);
      await tab.getByRole("heading", { name: "1 session left work that is yours to decide on" }).waitFor();
      const cards = tab.locator("article.hero");
      expect(await cards.count()).toBe(1);
      expect(await cards.textContent()).toContain("shop");
      const cut = tab.getByRole("region", { name: "Cut off, with nothing left to decide" });
      await cut.getByText("later", { exact: true }).waitFor();
      // Its operations are bars that end where they ended, or where it died.
      await tab.goto(`${page.origin}/#/session/shop`);
      const bar = (title: string) => tab.locator(`rect.bar[data-title="operation ${title}"]`);
      await bar("add the tax: ended").waitFor();
      await bar("rewrite the cart: never ended").waitFor();
      await tab.getByRole("heading", { name: "Its last words" }).waitFor();
      await tab.getByText("Now the checkout goes through all items.").first().waitFor();
      expect(tab.wrong).toEqual([]);
    });
  });

  it("W1: where nothing has happened yet every place says so, none as an error, and no store is made by looking", async () => {
    const { place, repo } = scene();
    repo.write("base.txt", "base\n");
    repo.commit("base");
    await withPage(place, async (page) => {
      const tab = await browserAt(page);
      for (const [hash, words] of [
        ["/", "No sessions yet"],
        ["/sessions", "No sessions here yet"],
        ["/parked", "Nothing is parked"],
        ["/worktrees", "it is the main work tree"],
        ["/storage", "Nothing is stored yet"],
      ] as const) {
        await tab.goto(`${page.origin}/#${hash}`);
        await tab.getByText(words).first().waitFor();
        expect([hash, await tab.getByRole("alert").count()]).toEqual([hash, 0]);
      }
      expect(existsSync(join(place.home, "refloat.db"))).toBe(false);
    });
  });

  it("fits a phone, and is worked there", async () => {
    const told = await story();
    await told.kill();
    await withPage(told.place, async (page) => {
      const tab = await browserAt(page, {
        viewport: { width: 360, height: 740 },
        hasTouch: true,
        isMobile: true,
      });
      await tab.getByRole("link", { name: "Decide what stays" }).waitFor();
      await assertFits(tab);
      await tab.getByRole("link", { name: "Decide what stays" }).tap();
      // No tab beyond the edge of its row, where one had to know that it is scrolled.
      await tab.locator(".tabs").waitFor();
      const beyond =
        "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.tabs'))";
      expect(await tab.evaluate<number>(beyond)).toBe(0);
      await group(tab, "src/cart.mjs")
        .getByRole("button", { name: /^Show changes/ })
        .tap();
      await group(tab, "src/cart.mjs").getByText("total +=").waitFor();
      await assertFits(tab);
      await group(tab, "src/cart.mjs").getByRole("button", { name: "Park", exact: true }).tap();
      await group(tab, "src/taxed.mjs").getByRole("button", { name: "Commit", exact: true }).tap();
      await tab.getByText("2 of 2 groups: commit 1, park 1").waitFor();
      await tab.getByRole("button", { name: /^Show the plan/ }).tap();
      const agreed = async (said: string): Promise<void> => {
        await planShown(tab);
        await assertFits(tab);
        await tab.getByRole("button", { name: /^Do it/ }).tap();
        await tab.getByText(said).waitFor();
        await assertFits(tab);
      };
      await agreed("1 file parked");
      await tab.getByText("1 file committed").waitFor();
      expect(told.repo.git("status", "--porcelain", "-uall")).toBe("");
      await tab.getByRole("button", { name: "Take it back" }).tap();
      await agreed("Taken back");
      expect(told.repo.git("status", "--porcelain", "-uall")).not.toBe("");
      await tab.getByRole("button", { name: "Do it again" }).tap();
      await agreed("Done again");
      expect(told.repo.git("status", "--porcelain", "-uall")).toBe("");
      for (const [place, title] of [
        ["What happened", "Its life"],
        ["Handoff", "Budget"],
        ["Doctor", /Nothing is (?:wrong|mended)/],
        ["Storage", "held work"],
        ["Parked", "Bring it back"],
        ["Sessions", "1 session"],
      ] as const) {
        await tab.getByRole("link", { name: place, exact: true }).tap();
        await tab.locator("main").getByText(title).first().waitFor();
        await assertFits(tab);
      }
      expect(tab.wrong).toEqual([]);
    });
  });

  it("T3: names, transcripts, diffs and agents that want to be scripts are shown as they are written, and run nothing", async () => {
    const at = scene();
    const { place, repo } = at;
    const IMG = "<img src=x onerror=alert(1)>";
    const SCRIPT = "</script><script>alert(2)</script>";
    const FILE = `${IMG}'"&.md`;
    repo.write("base.txt", "base\n");
    repo.commit("base");
    await leftSession(place, repo, {
      id: "left-session",
      edits: {
        [FILE]: () => repo.write(FILE, `${SCRIPT}\n[x](javascript:alert(3))\n\u202egnp.exe\n`),
        "b\u202etxt.sh": () => repo.write("b\u202etxt.sh", `echo ${IMG}\n`),
      },
    });
    await place.withStore(async (store) => {
      const session = await store.begin({
        id: "hostile-one",
        name: `${IMG}${SCRIPT}`,
        agent: `${IMG}`,
        workspace: repo.root,
        goal: SCRIPT,
        owner: deadOwner(),
      });
      const turn = await session.turn(IMG);
      await turn.append({ role: "assistant", parts: `${SCRIPT} javascript:alert(4) \u001b]52;c;aGk=\u0007` });
      const call = await turn.call({ tool: IMG, input: { command: SCRIPT, __proto__x: IMG } });
      await call.result(`${IMG}${SCRIPT}`);
      await session.decide(IMG, SCRIPT, { reason: IMG });
      await session.operation(SCRIPT);
    });
    await withPage(place, async (page) => {
      const tab = await browserAt(page);
      await tab.getByText("onerror=alert(1)").first().waitFor();
      for (const hash of [
        "/sessions",
        "/session/hostile-one",
        "/session/hostile-one/left",
        "/session/hostile-one/handoff",
        "/session/left-session/left",
      ]) {
        await tab.goto(`${page.origin}/#${hash}`);
        await tab.getByText("alert(1)").first().waitFor();
      }
      // Its direction is not turned around: what turns it is shown.
      await tab.getByText("b<U+202E>txt.sh").first().waitFor();
      await group(tab, FILE)
        .getByRole("button", { name: /^Show changes/ })
        .first()
        .click();
      await tab.getByText("alert(2)").first().waitFor();
      const made = await tab.evaluate<number[]>(
        `["img, iframe, object, embed, a[href^='javascript']", "script"].map((of) => document.querySelectorAll(of).length)`,
      );
      expect(made).toEqual([0, 1]);
      expect(tab.wrong).toEqual([]);
    });
  });

  it("G3: the token does not stay in the address, and without it the page says what to do", async () => {
    const { place } = scene();
    await withPage(place, async (page) => {
      const tab = await browserAt(page);
      await tab.getByText("No sessions yet").waitFor();
      expect(tab.url()).not.toContain(page.token);
      expect(await tab.evaluate<string>("document.documentElement.outerHTML")).not.toContain(page.token);
      await tab.reload();
      await tab.getByText("No sessions yet").waitFor();
      const other = await tab.context().newPage();
      await other.goto(page.origin);
      await other.getByText("This address is not enough").waitFor();
    });
  });
});

describe("who cannot see, or sees otherwise", { timeout: 240_000 }, () => {
  it("a conversation whose records are not read yet is no feed without articles", async () => {
    const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    const told = await story();
    await told.kill();
    await withPage(told.place, async (page) => {
      const { sessions } = await page.json("/api/sessions");
      const tab = await browserAt(page);
      const held: (() => void)[] = [];
      await tab.route("**/records?*", (asked) => void held.push(() => void asked.continue()));
      await tab.goto(`${page.origin}/#/session/${sessions[0].id}`);
      await tab.locator(".record-wait").first().waitFor();
      await tab.evaluate(axe);
      expect(await tab.evaluate<unknown[]>(SERIOUS)).toEqual([]);
      for (const go of held) go();
      await tab.getByText("ended without saying so").first().waitFor();
      expect(await tab.evaluate<unknown[]>(SERIOUS)).toEqual([]);
      expect(tab.wrong).toEqual([]);
    });
  });
});

describe("what a browser has to load", () => {
  it("is at most 120 kB gzipped, the view of changes not counted", () => {
    const bytes = (name: string): number =>
      gzipSync(readFileSync(join(import.meta.dirname, "../../dist/web", name))).length;
    const [page, diff] = [bytes("index.html"), bytes("diff.js")];
    console.log(
      `the page is ${page} bytes gzipped, its script and style with it; the view of changes ${diff} more`,
    );
    expect(page).toBeLessThan(120_000);
  });
});
