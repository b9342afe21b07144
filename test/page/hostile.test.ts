/** T3: what wants to be a script stays text where something is done with it: in an opened call, a plan, a receipt, what is parked, work trees. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { leftSession } from "../support/left-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type Scene, scene } from "../support/two-faces.ts";
import { browserAt } from "./browser.ts";
import { withPage } from "./served.ts";
import { type BrowserPage, group, planShown } from "./tab.ts";

const IMG = "<img src=x onerror=alert(1)>";
const SCRIPT = "</script><script>alert(2)</script>";
const LINK = "javascript:alert(3)//";
const [PARKED, KEPT] = [`${IMG}'"&.md`, `${LINK.replaceAll("/", "")}.md`];
const TREE = "<svg onload=alert(4)>";
const BRANCH = "<svg/onload=alert(5)>";

/** Its names, words, calls and operations, and the work tree beside it, are payloads. */
async function hostile(): Promise<Scene> {
  const at = scene();
  const { place, repo } = at;
  repo.write("base.txt", "base\n");
  repo.commit("base");
  repo.git("worktree", "add", "-q", "-b", BRANCH, join(temporaryFolder(), TREE));
  await leftSession(place, repo, {
    id: "left-session",
    operation: `${IMG} ${SCRIPT}`,
    edits: { [KEPT]: () => repo.write(KEPT, `${IMG}\n`) },
  });
  await leftSession(place, repo, {
    id: "parking-one",
    edits: { [PARKED]: () => repo.write(PARKED, `${SCRIPT}\n`) },
  });
  await place.withStore(async (store) => {
    const about = { id: "saying-one", name: IMG, agent: SCRIPT, workspace: repo.root } as const;
    const session = await store.begin({ ...about, captures: "off" });
    const turn = await session.turn(SCRIPT);
    const call = await turn.call({ tool: IMG, input: { command: LINK, __proto__x: SCRIPT } });
    await call.result({ output: `${IMG}${SCRIPT}`, exit_code: 1 });
    await turn.end("completed");
    await session.finish();
  });
  return at;
}

/** Only what the page has of its own, and nobody was called. */
async function assertInert(tab: BrowserPage): Promise<void> {
  const made = await tab.evaluate<number[]>(
    `["img, iframe, object, embed, a[href^='javascript'], svg[onload]", "script"].map((of) => document.querySelectorAll(of).length)`,
  );
  expect([made, tab.wrong]).toEqual([[0, 1], []]);
}

describe("payloads on the way of an act", { timeout: 180_000 }, () => {
  it("T3: run nothing in a call that is opened, in a plan with its message, in a receipt, parked, or as a work tree and its branch", async () => {
    const at = await hostile();
    await withPage(at.place, async (page) => {
      const tab = await browserAt(page);
      await tab.goto(`${page.origin}/#/session/saying-one`);
      const call = tab.locator(".call", { hasText: "alert(1)" });
      await call.locator(".call-head").click();
      await call.locator("pre", { hasText: "alert(2)" }).first().waitFor();
      await call.locator("pre", { hasText: "alert(3)" }).first().waitFor();
      await assertInert(tab);

      await tab.goto(`${page.origin}/#/session/parking-one/left`);
      await group(tab, PARKED).getByRole("button", { name: "Park", exact: true }).click();
      await tab.getByRole("button", { name: /^Show the plan/ }).click();
      await planShown(tab);
      const dialog = tab.getByRole("dialog");
      await dialog.getByText(PARKED, { exact: true }).waitFor();
      await assertInert(tab);
      await tab.getByRole("button", { name: /^Do it/ }).click();
      await tab.getByText("1 file parked").waitFor();
      await assertInert(tab);

      await tab.goto(`${page.origin}/#/session/left-session/left`);
      await group(tab, KEPT).getByRole("button", { name: "Commit", exact: true }).click();
      await tab.getByRole("button", { name: /^Show the plan/ }).click();
      await planShown(tab);
      await dialog.getByText(KEPT, { exact: true }).waitFor();
      expect(await dialog.getByRole("textbox").inputValue()).toContain("alert(1)");
      await assertInert(tab);
      await tab.getByRole("button", { name: /^Do it/ }).click();
      await tab.getByText("1 file committed").waitFor();
      expect(at.repo.git("log", "-1", "--format=%s")).toContain(IMG);
      await assertInert(tab);

      await tab.goto(`${page.origin}/#/parked`);
      await tab.locator("li.card", { hasText: "alert(1)" }).waitFor();
      await tab.getByRole("button", { name: "Bring it back" }).click();
      await planShown(tab);
      await dialog.getByText(PARKED, { exact: true }).waitFor();
      await assertInert(tab);
      await tab.getByRole("button", { name: /^Do it/ }).click();
      await tab.getByText("It is back in the tree").waitFor();
      await assertInert(tab);

      await tab.goto(`${page.origin}/#/worktrees`);
      const tree = tab.locator("li.card", { hasText: "alert(4)" });
      await tree.getByText("alert(5)").first().waitFor();
      await assertInert(tab);
      await tree.getByRole("button", { name: "Remove it" }).click();
      await planShown(tab);
      await dialog.getByText("alert(4)").first().waitFor();
      await assertInert(tab);
      await tab.getByRole("button", { name: /^Do it/ }).click();
      await tab.getByText("1 work tree removed").waitFor();
      await assertInert(tab);
    });
  });
});
