/** What happened in a session, in a real Chromium: its life as a picture, what was said and what the workspace says of it, a journal of any length. */
import { describe, expect, it } from "vitest";
import type { SessionId } from "../../src/model/ids.ts";
import { newRecord } from "../../src/session/new-record.ts";
import { deadOwner, type JsonObject } from "../support/cli.ts";
import { scene } from "../support/two-faces.ts";
import { browserAt, shot } from "./browser.ts";
import { withPage } from "./served.ts";

const PLAN = [
  { text: "Write the code", state: "done" },
  { text: "Roll it out", state: "doing" },
] as const;

/** It says what is not so, is in the middle of a sentence and of a call, and dies. */
async function died() {
  const at = scene();
  const { place, repo } = at;
  repo.write("f.txt", "one\n");
  for (const args of [
    ["state", "init"],
    ["step", "start", "1", "--owner", "ann"],
    ["step", "sub", "1", "machines", "--owner", "ann", "--reason", "they are many"],
  ])
    expect((await place.refloat(args)).code).toBe(0);
  repo.commit("base");
  await place.withStore(async (store) => {
    const session = await store.begin({
      ...{ id: "told-one", name: "deploy", agent: "tester", workspace: repo.root, owner: deadOwner() },
      goal: "Deploy the shop",
    });
    const turn = await session.turn("Deploy the shop, please.");
    const planned = newRecord(store.raw.clock, "agent.planned", { items: [...PLAN] });
    await store.raw.append(session.id as SessionId, { attempt: session.attempt }, [planned]);
    const edit = await turn.call({ tool: "edit", input: { path: "f.txt" } });
    repo.write("f.txt", "one\ntwo\n");
    await edit.result("ok");
    const tests = await turn.call({ tool: "bash", input: { command: "npm test" } });
    await tests.result({ exit_code: 1, output: "1 failed" });
    await session.operation("deploy");
    await session.decide("target", "staging", { reason: "it is Friday", step: "2" });
    await turn.append({ role: "assistant", parts: "I have committed the changes. All tests pass." });
    const streamed = turn.message("assistant");
    streamed.write("Now I roll it out, ");
    await streamed.flushed();
    streamed.write("first to the machines in");
    await streamed.flushed();
    await turn.call({ tool: "bash", input: { command: "./deploy.sh" }, effect: "unknown" });
  });
  return at;
}

describe("what happened in a session", { timeout: 180_000 }, () => {
  it("C3, C4: the cut-off message is there to its last word, the call nobody saw end is marked, and what is not so is said beside it", async () => {
    const { place } = await died();
    await withPage(place, async (page) => {
      const tab = await browserAt(page);
      await tab.goto(`${page.origin}/#/session/told-one`);
      const box = tab.getByRole("region", { name: "Conversation" });
      const cut = box.locator(".message.cut");
      await cut.getByText("Now I roll it out, first to the machines in", { exact: true }).waitFor();
      await cut.getByText("cut off here").waitFor();
      expect(await box.getByText("Now I roll it out").count()).toBe(1);
      await box.getByText("Nobody saw it end").waitFor();
      // Its tool says that it is done, its output that what it ran failed.
      const failing = box.locator(".call", { hasText: "npm test" });
      expect(await failing.getAttribute("class")).toContain("call-failed");
      await failing.locator(".call-status").getByText("failed", { exact: true }).waitFor();
      const wrong = box
        .locator(".message", { hasText: "I have committed the changes." })
        .locator(".contradicted");
      await wrong.first().waitFor();
      expect(await wrong.count()).toBe(2);
      expect(await wrong.first().textContent()).toContain("The workspace says otherwise");
      await tab.getByRole("heading", { name: "Its plan, 1 of 2 done" }).waitFor();
      expect(await tab.getByRole("region", { name: "Its plan" }).locator("li").allTextContents()).toEqual([
        "☑ Write the code done",
        "◧ Roll it out was at it",
      ]);
      // S7: the steps of the workspace's state file, as the brief has them.
      const { steps } = (await place.json(["handoff", "told-one"])).json;
      expect(steps[0]).toMatchObject({ id: "1", status: "in_progress", sub_step: "machines" });
      const shown = tab.getByRole("region", { name: "Steps of the workflow" }).locator("li");
      expect(await shown.count()).toBe(steps.length);
      const [first] = await shown.allTextContents();
      expect(first).toBe(`1 ${steps[0].name} in progress at machines`);
      await tab.getByText("because it is Friday").waitFor();
      await tab.getByText("step 2", { exact: true }).waitFor();
      await shot(tab, "life");
      await box.scrollIntoViewIfNeeded();
      await shot(tab, "conversation");
      expect(tab.wrong).toEqual([]);
    });
  });

  it("T1: records that cannot be read are said to be so, with a way to try again; none is passed over in silence", async () => {
    const { place } = await died();
    await withPage(place, async (page) => {
      const tab = await browserAt(page);
      let isBroken = true;
      await tab.route("**/records?*", (asked) =>
        isBroken
          ? asked.fulfill({
              status: 503,
              json: { code: "E_STORE_BUSY", message: "The store is busy.", hint: "Try again." },
            })
          : asked.continue(),
      );
      await tab.goto(`${page.origin}/#/session/told-one`);
      await tab.getByText("The store is busy.").first().waitFor();
      await shot(tab, "error");
      isBroken = false;
      await tab.getByRole("button", { name: "Try again" }).click();
      await tab.getByText("Now I roll it out, first to the machines in", { exact: true }).waitFor();
      expect(await tab.getByText("The store is busy.").count()).toBe(0);
    });
  });

  it("its life shows how much was said and the moment of death, is read by pointing, looked at nearer by dragging, and leads to its records", async () => {
    const { place } = await died();
    await withPage(place, async (page) => {
      const tab = await browserAt(page, { colorScheme: "dark" });
      await tab.goto(`${page.origin}/#/session/told-one`);
      await tab.locator("path.rate").waitFor({ state: "attached" });
      await tab.getByText("it ended here").waitFor();
      const readout = tab.locator(".readout");
      const call = tab
        .locator("rect.bar-bad")
        .filter({ has: tab.locator("xpath=self::*[contains(@data-title, 'npm test')]") })
        .first();
      // What is learned of it meanwhile may move the bar from under the pointer.
      await expect
        .poll(
          async () => {
            await tab.mouse.move(0, 0);
            await call.hover();
            return readout.textContent();
          },
          { timeout: 30_000 },
        )
        .toMatch(/bash, failed, .*npm test/);
      await shot(tab, "life-dark");
      const whole = tab.getByRole("button", { name: "all", exact: true });
      expect(await whole.isDisabled()).toBe(true);
      const { x = 0, y = 0, width = 0, height = 0 } = (await tab.locator(".life-svg").boundingBox()) ?? {};
      await tab.mouse.move(x + width * 0.3, y + height - 30);
      await tab.mouse.down();
      await tab.mouse.move(x + width * 0.6, y + height - 30, { steps: 4 });
      await tab.mouse.up();
      // It is looked at nearer now; each of these waits until it can be pressed.
      await whole.click();
      await tab.getByRole("button", { name: "Nearer" }).click();
      await whole.click();
      await tab.getByRole("button", { name: "To the beginning" }).click();
      await tab.getByText("Deploy the shop, please.").first().waitFor();
      await call.click();
      await tab.locator("[aria-label=Conversation]:focus").waitFor();
      expect(tab.wrong).toEqual([]);
    });
  });

  it("C4: its captures are marks, a result that recovery wrote is told from one that was seen, and the picture is zoomed and moved by keys", async () => {
    const { place, repo } = await died();
    // Whoever goes on with it recovers it first.
    await place.withStore(async (store) => {
      await (await store.begin({ id: "told-one", agent: "tester", workspace: repo.root })).release();
    });
    // To look at what it left is an attempt (K1), and no try.
    expect((await place.refloat(["stop", "told-one"])).code).toBe(0);
    await withPage(place, async (page) => {
      const { attempts, calls, captures } = await page.json("/api/sessions/told-one");
      expect(captures.length).toBeGreaterThan(0);
      const recoveries = attempts.filter(({ label }: JsonObject) => label === "recovery");
      expect(recoveries.length).toBeGreaterThan(0);
      expect(calls.map(({ synthetic }: JsonObject) => synthetic)).toEqual([false, false, true]);
      const tab = await browserAt(page);
      await tab.goto(`${page.origin}/#/session/told-one`);
      await tab.getByText("refloat wrote this result after the death.").waitFor();
      await tab.getByText("refloat looked at what was left").first().waitFor();
      expect(await tab.locator("rect.bar[data-title*=' try, from']").count()).toBe(
        attempts.length - recoveries.length,
      );
      const marks = tab.locator("circle.mark[data-title^='the tree was held at']");
      await marks.first().waitFor({ state: "attached" });
      expect(await marks.count()).toBe(captures.length);
      const unseen = tab.locator("rect.bar-unknown");
      expect(await unseen.count()).toBe(1);
      expect(await unseen.getAttribute("data-title")).toMatch(/^bash, may have happened, .*deploy\.sh/);
      const whole = tab.getByRole("button", { name: "all", exact: true });
      const picture = tab.getByRole("region", { name: /Plus and minus zoom, arrows move\.$/ });
      // What stands at its left and at its right edge.
      const ticks = async (): Promise<string> =>
        (await tab.locator(".tick-text").allTextContents()).join(" ");
      const [all, seen] = [await ticks(), [] as string[]];
      const press = async (key: string): Promise<void> => {
        await picture.press(key);
        seen.push(await ticks());
      };
      for (const key of ["+", "=", "ArrowRight", "ArrowLeft", "ArrowLeft", "-"]) await press(key);
      expect(await whole.isDisabled()).toBe(false);
      expect(seen[1]).not.toBe(all);
      expect(seen[2]).not.toBe(seen[1]);
      expect(seen[3]).toBe(seen[1]);
      expect(seen[4]).not.toBe(seen[1]);
      await press("0");
      expect(seen.at(-1)).toBe(all);
      expect(await whole.isDisabled()).toBe(true);
      expect(tab.wrong).toEqual([]);
    });
  });

  it("T5: a hundred thousand records are scrolled through from the first to the last, and few of them are ever drawn", async () => {
    const { place } = scene();
    const TURNS = 500;
    await place.withStore(async (store) => {
      const about = { id: "long-one", agent: "tester", workspace: place.workspace, owner: deadOwner() };
      const session = await store.begin(about);
      for (let t = 0; t < TURNS; t++) {
        const turn = await session.turn(`question ${t}`);
        const answers = Array.from({ length: 198 }, (_, i) =>
          turn.append({ role: "assistant", parts: `answer ${t}.${i}` }),
        );
        await Promise.all(answers);
        await turn.end("completed");
      }
    });
    await withPage(place, async (page) => {
      const { head } = await page.json("/api/sessions/long-one");
      expect(head).toBeGreaterThan(100_000);
      const tab = await browserAt(page);
      await tab.goto(`${page.origin}/#/session/long-one`);
      await tab.getByText("answer 499.197").waitFor();
      await tab.getByRole("button", { name: "To the beginning" }).click();
      await tab.getByText("question 0", { exact: true }).waitFor();
      const passed = await tab.evaluate<Passed>(SCROLLS);
      await tab.getByText("answer 499.197").waitFor();
      const { frames, slowest, drawn, seen, waited } = passed;
      console.log(
        `${head} records: ${frames} frames from the first to the last, the slowest ${Math.round(slowest)} ms, rows there ${Math.round(waited)} ms after a stop at the latest, at most ${drawn} rows drawn, ${seen} different rows seen`,
      );
      expect(drawn).toBeLessThan(300);
      expect(seen).toBeGreaterThan(500);
      expect(tab.wrong).toEqual([]);
    });
  });
});

interface Passed {
  readonly frames: number;
  readonly slowest: number;
  readonly drawn: number;
  readonly seen: number;
  readonly waited: number;
}

/** As somebody who pulls the bar: a frame at a time, 300 steps to the end, with twenty stops at which he reads what is there. */
const SCROLLS = `new Promise((resolve) => {
  const box = document.querySelector(".conversation");
  const seen = new Set();
  let [frames, slowest, drawn, waited, last, since] = [0, 0, 0, 0, performance.now(), null];
  const step = (now) => {
    slowest = Math.max(slowest, now - last);
    last = now;
    frames++;
    const rows = [...box.querySelectorAll(".record")];
    drawn = Math.max(drawn, rows.length);
    const isRead = rows.length > 0 && rows.every((row) => !row.querySelector(".record-wait"));
    if (isRead) for (const row of rows) seen.add(row.dataset.seq);
    const isStop = frames % 15 === 0 || since !== null;
    if (isStop && !isRead && frames < 20000) {
      since ??= now;
      return requestAnimationFrame(step);
    }
    if (since !== null) waited = Math.max(waited, now - since);
    since = null;
    const isAtEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 4;
    if (isAtEnd || frames >= 20000) return resolve({ frames, slowest, drawn, seen: seen.size, waited });
    box.scrollTop += Math.max(200, box.scrollHeight / 300);
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;
