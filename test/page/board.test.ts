/** The board in a real Chromium: the check as it runs, whole columns, pictures, conflicts, what is parked, work trees. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../support/cli.ts";
import { ANN, leftSession } from "../support/left-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { scene } from "../support/two-faces.ts";
import { assertFits, browserAt, shot } from "./browser.ts";
import { png } from "./png.ts";
import { withPage } from "./served.ts";
import { story } from "./story.ts";
import { type BrowserPage, planShown } from "./tab.ts";

const group = (tab: BrowserPage, path: string) => tab.locator("article.group", { hasText: path });

describe("the check on the board", { timeout: 180_000 }, () => {
  it("is watched while it runs: its output as it comes, without secrets, and what came of each run", async () => {
    const told = await story();
    await told.kill();
    const go = join(temporaryFolder(), "go");
    const check = `echo begins to look; echo token=ghp_${"a1B2c3D4e5F6".repeat(3)}; until [ -e ${go} ]; do sleep 0.05; done; echo has looked; test ! -e nowhere`;
    writeFileSync(go, "");
    // Typed by a person once: from then on it is his (T2).
    expect((await told.place.refloat(["inspect", "--verify", check], { env: ANN })).code).toBe(0);
    rmSync(go);
    await withPage(told.place, async (page) => {
      const tab = await browserAt(page);
      await tab.getByRole("link", { name: "Decide what stays" }).click();
      await tab.getByRole("button", { name: "Run it now" }).click();
      const output = tab.getByRole("region", { name: "What the check says" });
      await output.getByText("begins to look").waitFor();
      // It waits for the file: this is seen before it has ended.
      expect(existsSync(go)).toBe(false);
      expect(await output.textContent()).not.toContain("has looked");
      expect(await output.textContent()).not.toContain("a1B2c3D4e5F6");
      await tab.getByText("is being checked").first().waitFor();
      await shot(tab, "check-runs");
      writeFileSync(go, "");
      await tab.getByText("your last commit with src/taxed.mjs").waitFor();
      await tab.getByRole("button", { name: "Run it now" }).waitFor();
      await output.getByText("has looked").waitFor();
      expect(await tab.locator(".watched-runs").textContent()).toMatch(/src\/taxed\.mjs passed/);
      await tab.getByText("is in these verdicts").waitFor();
      await group(tab, "src/taxed.mjs").waitFor();
      await shot(tab, "check-ran");
      expect(tab.wrong).toEqual([]);
    });
  });
});

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(5)"><script>alert(6)</script></svg>\n`;

describe("what is no text", { timeout: 180_000 }, () => {
  it("T3: pictures stand beside each other as they were and as they are; an SVG is text, and nobody gets a document", async () => {
    const { place, repo } = scene();
    repo.write("logo.png", png([200, 30, 30]));
    repo.write("data.bin", Buffer.from([0, 1, 2, 3, 255]));
    repo.commit("base");
    await leftSession(place, repo, {
      edits: {
        "logo.png": () => repo.write("logo.png", png([30, 60, 200], 64)),
        "new.png": () => repo.write("new.png", png([20, 160, 60])),
        "evil.svg": () => repo.write("evil.svg", SVG),
        // Its name says what it is not.
        "false.png": () => repo.write("false.png", Buffer.from(`\0${SVG}`)),
        "data.bin": () => repo.write("data.bin", Buffer.from([0, 9, 9])),
      },
    });
    await withPage(place, async (page) => {
      const tab = await browserAt(page);
      await tab.goto(`${page.origin}/#/session/left-session/left`);
      const opened = async (path: string) => {
        const card = group(tab, path).first();
        await card.getByRole("button", { name: /^Show changes/ }).click();
        return card.locator("figure", { hasText: path });
      };
      const logo = await opened("logo.png");
      await logo.getByText("48 × 48").waitFor();
      await logo.getByText("64 × 64").waitFor();
      await shot(tab, "pictures");
      for (const path of ["new.png", "data.bin", "false.png", "evil.svg"]) {
        const figure = tab.locator("figure", { hasText: path });
        if ((await figure.count()) === 0) await opened(path);
        await figure.first().waitFor();
      }
      await tab.locator("figure", { hasText: "new.png" }).getByText("There was no such file.").waitFor();
      await tab.locator("figure", { hasText: "data.bin" }).getByText("2 bytes shorter").waitFor();
      await tab.locator("figure", { hasText: "false.png" }).getByText("binary file").first().waitFor();
      await tab.locator("figure", { hasText: "evil.svg" }).getByText("alert(6)").first().waitFor();
      const sources = await tab.evaluate<string[]>("[...document.images].map((one) => one.src.slice(0, 5))");
      expect(sources).toEqual(["blob:", "blob:", "blob:"]);
      expect(tab.wrong).toEqual([]);
      const { groups } = await page.json("/api/sessions/left-session/salvage");
      for (const { id } of groups) {
        const { files } = await page.json(`/api/sessions/left-session/diff?group=${id}`);
        for (const [at, { path }] of files.entries()) {
          const asked = `/api/sessions/left-session/picture?group=${id}&file=${at}&side=after`;
          const answer = await page.get(asked);
          const isPicture = path === "logo.png" || path === "new.png";
          expect([path, answer.status]).toEqual([path, isPicture ? 200 : 404]);
          const { headers } = answer;
          expect(headers.get("content-type")).toMatch(isPicture ? /^image\/png$/ : /^application\/json/);
          expect(headers.get("x-content-type-options")).toBe("nosniff");
          expect(headers.get("content-security-policy")).toContain("default-src 'none'");
          if (isPicture) expect(headers.get("content-disposition")).toBe("attachment");
          expect((await page.get(asked, {})).status).toBe(401);
        }
        for (const wrong of ["file=99&side=after", "file=-1&side=after", "file=0&side=../.."])
          expect([400, 404]).toContain(
            (await page.get(`/api/sessions/left-session/picture?group=${id}&${wrong}`)).status,
          );
      }
    });
  });
});

describe("deciding", { timeout: 180_000 }, () => {
  it("R2: a whole column is chosen for at once; to discard it, or to commit what is risky, is asked twice", async () => {
    const { place, repo } = scene();
    repo.write("base.txt", "base\n");
    repo.commit("base");
    const names = ["a.md", "b.md", "c.md"];
    await leftSession(place, repo, {
      edits: Object.fromEntries(names.map((name) => [name, () => repo.write(name, `about ${name}\n`)])),
    });
    await withPage(place, async (page) => {
      const tab = await browserAt(page);
      await tab.goto(`${page.origin}/#/session/left-session/left`);
      await group(tab, "a.md").first().waitFor();
      const column = tab.locator(".column", { has: tab.locator("article.group").nth(1) }).first();
      const all = (act: string) => column.getByRole("button", { name: new RegExp(`^${act} all 3`) });
      await all("Discard").click();
      await tab.getByText("Discard all 3?").waitFor();
      await shot(tab, "column-sure");
      await all("Leave").click();
      await tab.getByText("3 of 3 groups: leave 3").waitFor();
      await all("Discard").click();
      await all("Discard").click();
      await tab.getByText("3 of 3 groups: discard 3").waitFor();
      await tab.getByRole("button", { name: /^Show the plan/ }).click();
      await planShown(tab);
      expect(repo.git("status", "--porcelain", "-uall")).not.toBe("");
      await tab.getByRole("button", { name: /^Do it/ }).click();
      await tab.getByText("3 files discarded").waitFor();
      expect(repo.git("status", "--porcelain", "-uall")).toBe("");
      await tab.getByRole("button", { name: "Take it back" }).click();
      await planShown(tab);
      await tab.getByRole("button", { name: /^Do it/ }).click();
      await tab.getByText("Taken back").waitFor();
      expect(repo.git("status", "--porcelain", "-uall").trim().split("\n")).toHaveLength(3);
      expect(tab.wrong).toEqual([]);
    });
  });

  it("W5: what another session left in the same tree is shown, and is settled there; whoever orders it all the same is told whose it is", async () => {
    const { place, repo } = scene();
    repo.write("base.txt", "base\n");
    repo.commit("base");
    for (const [id, path] of [
      ["first-one", "first.md"],
      ["left-session", "second.md"],
    ] as const)
      await leftSession(place, repo, { id, edits: { [path]: () => repo.write(path, `about ${path}\n`) } });
    await withPage(place, async (page) => {
      const tab = await browserAt(page);
      await tab.goto(`${page.origin}/#/session/left-session/left`);
      const theirs = group(tab, "first.md");
      await theirs.getByText("another session's").waitFor();
      expect(await theirs.getByRole("button", { name: /Commit|Park|Discard|Leave/ }).count()).toBe(0);
      await group(tab, "second.md").getByRole("button", { name: "Park", exact: true }).click();
      await tab.getByRole("button", { name: /^Show the plan/ }).click();
      await planShown(tab);
      await tab.keyboard.press("q");
      await theirs.getByRole("link", { name: "Decide on it in the session it is of" }).click();
      await tab.waitForURL(/#\/session\/first-one\/left$/);
      await group(tab, "first.md").getByRole("button", { name: "Park", exact: true }).waitFor();
      expect(tab.wrong).toEqual([]);
      const { groups } = await page.json("/api/sessions/left-session/salvage");
      const other = groups.find(({ changes }: JsonObject) => changes[0].path === "first.md");
      const { last } = await page.order("/api/sessions/left-session/plan", {
        choices: { [other.id]: "park" },
      });
      expect([last.code, last.hint]).toEqual([
        "E_NOT_OWNED",
        expect.stringContaining("refloat settle first-one"),
      ]);
    });
  });

  it("T1: a commit's message is written in the plan, and what was written is what is agreed to", async () => {
    const told = await story();
    await told.kill();
    await withPage(told.place, async (page) => {
      const tab = await browserAt(page);
      await tab.getByRole("link", { name: "Decide what stays" }).click();
      await group(tab, "src/taxed.mjs").getByRole("button", { name: "Commit", exact: true }).click();
      await tab.getByRole("button", { name: /^Show the plan/ }).click();
      await planShown(tab);
      await tab.keyboard.press("e");
      await tab.keyboard.press("ControlOrMeta+A");
      await tab.keyboard.type("tax: by its rate");
      // It is not in the plan yet: nothing can be agreed to.
      expect(await tab.getByRole("button", { name: /^Do it/ }).isDisabled()).toBe(true);
      await tab.getByRole("button", { name: "Use this message" }).click();
      await tab.getByRole("button", { name: "Use this message" }).waitFor({ state: "hidden" });
      await planShown(tab);
      expect(await tab.getByLabel("The commit's message").inputValue()).toBe("tax: by its rate");
      await tab.getByRole("button", { name: /^Do it/ }).click();
      await tab.getByText("1 file committed").waitFor();
      expect(told.repo.git("log", "-1", "--format=%s").trim()).toBe("tax: by its rate");
      expect(tab.wrong).toEqual([]);
    });
  });

  it("W5: a conflict is explained: what was expected, what is there, and how one goes on; no byte of it is touched", async () => {
    const told = await story();
    await told.kill();
    await withPage(told.place, async (page) => {
      const tab = await browserAt(page);
      await tab.getByRole("link", { name: "Decide what stays" }).click();
      await group(tab, "src/cart.mjs").getByRole("button", { name: "Park", exact: true }).click();
      await tab.getByRole("button", { name: /^Show the plan/ }).click();
      await planShown(tab);
      await tab.getByRole("button", { name: /^Do it/ }).click();
      await tab.getByText("1 file parked").waitFor();
      told.repo.write("src/cart.mjs", "// mine\n");
      await tab.getByRole("link", { name: "Parked", exact: true }).click();
      await tab.getByRole("button", { name: "Bring it back" }).click();
      await tab.getByText("1 conflict: left as it is").waitFor();
      await tab.getByText(/other bytes by now: .* then, 8 bytes now/).waitFor();
      await tab.getByText("Your bytes are never overwritten").waitFor();
      await shot(tab, "conflict");
      await tab.getByRole("button", { name: /^Not now/ }).click();
      expect(told.repo.read("src/cart.mjs")).toBe("// mine\n");
      expect(tab.wrong).toEqual([]);
    });
  });

  it("what is parked is listed with why, is brought back by a plan, and that is taken back again", async () => {
    const told = await story();
    await told.kill();
    const { place, repo } = told;
    const before = repo.read("src/cart.mjs");
    await place.json(["park", "--all", "--yes"], { env: ANN });
    const parkedState = repo.git("status", "--porcelain", "-uall");
    await withPage(place, async (page) => {
      const tab = await browserAt(page);
      await tab.getByRole("link", { name: "Parked", exact: true }).click();
      const card = tab.locator("li.card", { hasText: "src/cart.mjs" });
      await card.waitFor();
      // S7: what the command line lists.
      const { json } = await place.json(["parked"]);
      expect((await page.json("/api/parked")).parked).toEqual(json.parked);
      await shot(tab, "parked");
      await card.getByRole("button", { name: "Bring it back" }).click();
      await planShown(tab);
      expect(repo.git("status", "--porcelain", "-uall")).toBe(parkedState);
      await tab.getByRole("button", { name: /^Do it/ }).click();
      await tab.getByText("It is back in the tree").waitFor();
      expect(repo.read("src/cart.mjs")).toBe(before);
      await card.waitFor({ state: "hidden" });
      await tab.getByRole("button", { name: "Take it back" }).click();
      await planShown(tab);
      await tab.getByRole("button", { name: /^Do it/ }).click();
      await tab.getByText("Taken back").waitFor();
      expect(repo.git("status", "--porcelain", "-uall")).toBe(parkedState);
      await card.waitFor();
      expect(tab.wrong).toEqual([]);
    });
  });

  it("S7: work trees say what the command line says of them; one that may go is removed by a plan and comes back", async () => {
    const { place, repo } = scene();
    repo.write("a.txt", "a\n");
    repo.commit("base");
    const folder = temporaryFolder();
    const [done, busy] = [join(folder, "done"), join(folder, "busy")];
    repo.git("worktree", "add", "-q", "-b", "done", done);
    repo.git("worktree", "add", "-q", "-b", "busy", busy);
    writeFileSync(join(busy, "half.txt"), "half\n");
    await place.refloat(["capture"], { env: ANN });
    await withPage(place, async (page) => {
      const { json } = await place.json(["worktrees"]);
      expect((await page.json("/api/worktrees")).worktrees).toEqual(json.worktrees);
      const tab = await browserAt(page, { viewport: { width: 360, height: 740 } });
      await tab.goto(`${page.origin}/#/worktrees`);
      const card = (path: string) => tab.locator("li.card", { hasText: path });
      await card(busy).getByText("keep", { exact: true }).waitFor();
      expect(await card(busy).getByRole("button").count()).toBe(0);
      await assertFits(tab);
      await shot(tab, "worktrees-phone");
      await card(done).getByRole("button", { name: "Remove it" }).click();
      await planShown(tab);
      expect(existsSync(done)).toBe(true);
      await tab.getByRole("button", { name: /^Do it/ }).click();
      await tab.getByText("1 work tree removed, and held").waitFor();
      expect([existsSync(done), existsSync(join(busy, "half.txt"))]).toEqual([false, true]);
      await tab.getByRole("button", { name: "Take it back" }).click();
      await planShown(tab);
      await tab.getByRole("button", { name: /^Do it/ }).click();
      await tab.getByText("Taken back").waitFor();
      expect(existsSync(join(done, "a.txt"))).toBe(true);
      expect(tab.wrong).toEqual([]);
    });
    const refused = await withPage(place, (page) => page.order("/api/worktrees/remove", { paths: [busy] }));
    expect(refused.last.code).toBe("E_NOT_REMOVABLE");
  });
});
