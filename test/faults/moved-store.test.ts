/** Files of an open store that somebody moves, replaces, deletes or gives a second name. */
import { copyFileSync, linkSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { systemClock } from "../../dist/platform/clock.js";
import { salvageStore } from "../../dist/store/damage/salvage-store.js";
import {
  begun,
  child,
  codeOf,
  decided,
  open,
  type Place,
  sessionId,
  valuesOf,
} from "../conformance/harness.ts";
import { sqlitePlace } from "../conformance/places.ts";

const home = (place: Place): string => dirname(place.url);

function replaceByCopy(path: string): void {
  copyFileSync(path, `${path}.copy`);
  renameSync(`${path}.copy`, path);
}

/** Then one look at the folder is all that a commit takes (files 1): what comes after it must be noticed all the same. */
async function folderIsOld(place: Place): Promise<void> {
  while (Date.now() - statSync(home(place)).ctimeMs < 60) await sleep(10);
}

const MOVES: readonly (readonly [how: string, move: (place: Place) => void])[] = [
  ["deleted with its folder", (place) => rmSync(home(place), { recursive: true })],
  ["moved away with its folder", (place) => renameSync(home(place), `${home(place)}-away`)],
  ["renamed", (place) => renameSync(place.url, `${place.url}.old`)],
  ["replaced by a copy", (place) => replaceByCopy(place.url)],
  ["robbed of its log", (place) => rmSync(`${place.url}-wal`)],
  ["robbed of its shared memory", (place) => rmSync(`${place.url}-shm`)],
];

for (const thread of [false, true]) {
  test.each(MOVES)(
    `D1, T1: a store that was %s while it is open acknowledges no write any more (thread: ${thread})`,
    async (_how, move) => {
      const place = sqlitePlace({ thread });
      const store = await open(place);
      const { session, by } = await begun(store);
      for (const isOld of [false, true]) {
        if (isOld) await folderIsOld(place);
        await store.append(session, by, [decided(`before, ${isOld}`)]);
      }
      move(place);
      expect(await codeOf(store.append(session, by, [decided("after")]))).toBe("E_STORE_MOVED");
      expect(await codeOf(store.putContent(Buffer.from("after")))).toBe("E_STORE_MOVED");
      expect(await codeOf(store.renew(session, by.attempt))).toBe("E_STORE_MOVED");
    },
  );
}

test("D1: a store that was moved away and put back takes writes again, and has what was acknowledged and nothing else", async () => {
  const place = sqlitePlace({ thread: false });
  const store = await open(place);
  const { session, by } = await begun(store);
  await store.append(session, by, [decided("before")]);
  renameSync(home(place), `${home(place)}-away`);
  expect(await codeOf(store.append(session, by, [decided("meanwhile")]))).toBe("E_STORE_MOVED");
  renameSync(`${home(place)}-away`, home(place));
  await store.append(session, by, [decided("after")]);
  expect(await valuesOf(await open(place), session)).toEqual(["before", "after"]);
});

test("D7: a store that was moved away leaves no mark beside the one that was made in its place, which so opens again", async () => {
  const place = sqlitePlace({ thread: false });
  const store = await open(place);
  await begun(store, sessionId("old"));
  renameSync(home(place), `${home(place)}-away`);
  const fresh = child(place, `say("made"); process.stdin.resume();`);
  expect(await fresh.said()).toBe("made");
  await store.close();
  await fresh.kill();
  expect(await (await open(place)).session(sessionId("old"))).toBeNull();
});

test("D1: a store whose file has a second name is refused, because what is written through one log is lost to the other; one a killed creation left is none", async () => {
  const place = sqlitePlace({ thread: false });
  const store = await open(place);
  const { session, by } = await begun(store);
  await store.append(session, by, [decided("before")]);
  linkSync(place.url, `${place.url}.new-leftover`);
  expect(await valuesOf(await open(place), session)).toEqual(["before"]);
  const second = join(home(place), "second.db");
  linkSync(place.url, second);
  expect(await codeOf(open({ ...place, url: second }))).toBe("E_UNSUPPORTED");
  expect(await codeOf(open(place))).toBe("E_UNSUPPORTED");
  rmSync(second);
  expect(await valuesOf(await open(place), session)).toEqual(["before"]);
});

test("D1: a store that another process has open is not salvaged through another name of its folder either: E_STORE_IN_USE, and that process goes on", async () => {
  const place = sqlitePlace({ thread: false });
  const writer = child(
    place,
    `const owner = selfOwner("w");
     const { attempt } = await takeClaim(store, { session: "s", owner, records: () => [record("session.began", { agent: "w", workspace: "/w", goal: null, name: null })] });
     say("began");
     process.stdin.on("data", async () => {
       await store.append("s", { attempt }, [record("decided", { key: "k", value: 1, reason: null, step: null })]);
       say("saved");
     });`,
  );
  expect(await writer.said()).toBe("began");
  const link = `${home(place)}-link`;
  symlinkSync(home(place), link);
  const salvaged = salvageStore(join(link, "refloat.db"), { clock: systemClock });
  expect(await codeOf(salvaged)).toBe("E_STORE_IN_USE");
  writer.write("go");
  expect(await writer.said()).toBe("saved");
  await writer.kill();
  expect(await valuesOf(await open(place), sessionId("s"))).toEqual([1]);
});
