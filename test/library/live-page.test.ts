/** examples/live/page.html in a real Chromium, its server killed in the middle of an answer and started again: nobody touches the page. */
import { once } from "node:events";
import { expect, test } from "vitest";
import { browserAt } from "../page/browser.ts";
import { liveFolder, saidIn, startExample } from "./live-example.ts";

test("the page connects again by itself, takes back what never came to the disk, and shows what the journal has, word for word (C3, D3)", async () => {
  const folder = liveFolder();
  const first = await startExample(folder, 0);
  const origin = `http://127.0.0.1:${first.port}`;
  const tab = await browserAt({ origin, address: `${origin}/` });
  const send = async (text: string): Promise<void> => {
    await tab.getByLabel("Say something").fill(text);
    await tab.getByRole("button", { name: "Send" }).click();
  };
  const answers = tab.locator("main p.assistant");
  await send("<b>begin</b>");
  await answers.first().filter({ hasText: "word 9" }).waitFor();
  first.child.kill("SIGKILL");
  await once(first.child, "exit");
  expect(await answers.first().getAttribute("class")).toBe("assistant open");
  const second = await startExample(folder, first.port);
  // The server that comes has closed what the dead one left; the page hears of it on a connection that it made by itself.
  await tab.locator("main p.assistant.cut-off").waitFor({ timeout: 60_000 });
  await send("again");
  await answers.nth(1).filter({ hasText: "word 40" }).and(tab.locator(".final")).waitFor();
  const shown = await tab
    .locator("main p")
    .evaluateAll((lines) =>
      lines.map(({ className, textContent }) => [...className.split(" "), textContent]),
    );
  second.child.kill("SIGKILL");
  await once(second.child, "exit");
  const said = await saidIn(folder);
  expect(shown).toEqual(said);
  expect(said.map(([role, state]) => [role, state])).toEqual([
    ["user", "final"],
    ["assistant", "cut-off"],
    ["user", "final"],
    ["assistant", "final"],
  ]);
  expect(said[0]?.[2]).toBe("<b>begin</b>"); // as text: what is in a conversation is nobody's to run
  // A connection that broke is all that its console has.
  expect(tab.wrong.filter((one) => !/net::ERR_/.test(one))).toEqual([]);
});
