import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { manualClock } from "../../../test/support/manual-clock.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { Baton } from "./baton.ts";

/** Listens where an arbiter would, takes everybody in, answers as told, and remembers what was said to it. */
async function fakeArbiter(path: string, answer: string | null): Promise<{ readonly heard: string[] }> {
  const heard: string[] = [];
  const server = createServer((socket) => {
    socket.on("data", (bytes) => {
      heard.push(...bytes.toString("latin1"));
      if (answer) socket.write(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(`${path}-baton`, resolve));
  onTestFinished(() => void server.close());
  return { heard };
}

async function rounds(baton: Baton, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    await baton.acquire();
    baton.release();
  }
}

test("baton 5: an arbiter that says nothing, as a stopped process, is waited for a few times and then left alone for a while, not at every commit", async () => {
  const path = join(temporaryFolder(), "refloat.db");
  const { heard } = await fakeArbiter(path, null);
  const clock = manualClock(0);
  const baton = new Baton(path, clock);
  onTestFinished(() => baton.close());
  await rounds(baton, 50);
  await baton.contended();
  expect(heard.join("")).toBe("www");
  clock.step(60_000);
  await rounds(baton, 50);
  expect(heard.join("")).toBe("wwwwww");
});

test("baton 4: an arbiter that hears but has no turn to give is asked at every commit; nobody waits for ever", async () => {
  const path = join(temporaryFolder(), "refloat.db");
  const { heard } = await fakeArbiter(path, "h");
  const baton = new Baton(path, manualClock(0));
  onTestFinished(() => baton.close());
  await rounds(baton, 5);
  expect(heard.join("")).toBe("wwwww");
});

test("baton 1: where nobody listens, a commit waits for nobody and opens nothing", async () => {
  const path = join(temporaryFolder(), "refloat.db");
  const baton = new Baton(path, manualClock(0));
  await rounds(baton, 3);
  await fakeArbiter(path, null); // the name is still free
  baton.close();
});
