/** D6: a full or read-only disk is told, nothing claims to be saved, what was saved can be read, work goes on when it is over. */
import { expect, test } from "vitest";
import { need } from "../support/needs.ts";
import { onSmallDisk } from "../support/small-disk.ts";

test.each([
  ["on the caller's thread", false],
  ["on its own thread", true],
])(
  "D6: on a full disk an append %s is E_STORE_FULL, everything acknowledged can be read, and work goes on when there is room",
  (_how, thread) => {
    const said = onSmallDisk(
      "3m",
      `const store = await openRawStore(path, { thread: ${thread} });
       await begin(store);
       let acknowledged = 0;
       let code = "done";
       while (code === "done" && acknowledged < 20_000) {
         code = await codeOf(() => append(store, acknowledged));
         if (code === "done") acknowledged++;
       }
       const areThere = (found) => found.length === acknowledged && found.every((value, i) => value === i);
       said.code = code;
       said.isMany = acknowledged > 100;
       said.again = await codeOf(() => append(store, acknowledged));
       said.content = await codeOf(() => store.putContent(Buffer.alloc(2 ** 20, 7)));
       said.readable = areThere(await values(store));
       const second = await openRawStore(path, { thread: false });
       said.readableAnew = areThere(await values(second));
       said.closed = await codeOf(() => second.close());
       mount("size=12m");
       said.goesOn = await codeOf(() => append(store, acknowledged));
       acknowledged++;
       said.whole = areThere(await values(store));
       said.damage = (await checkStore(store)).damage;
       said.closedToo = await codeOf(() => store.close());`,
    );
    expect(said).toEqual({
      code: "E_STORE_FULL",
      isMany: true,
      again: "E_STORE_FULL",
      content: "E_STORE_FULL",
      readable: true,
      readableAnew: true,
      closed: "done",
      goesOn: "done",
      whole: true,
      damage: [],
      closedToo: "done",
    });
  },
);

test("D6: a store whose disk became full while nobody had it open, without its shared memory file, is read and goes on later", () => {
  const said = onSmallDisk(
    "3m",
    `writeAndDie(3);
     said.isLogThere = statSync(path + "-wal").size > 0;
     rmSync(path + "-shm", { force: true });
     fill();
     const store = await openRawStore(path, { thread: false });
     said.values = await values(store);
     said.code = await codeOf(() => append(store, 3));
     said.still = await values(store);
     free();
     said.goesOn = await codeOf(() => append(store, 3));
     said.after = await values(store);
     said.closed = await codeOf(() => store.close());
     said.anew = await values(await openRawStore(path, { thread: false }));`,
  );
  expect(said).toEqual({
    isLogThere: true,
    values: [0, 1, 2],
    code: "E_STORE_FULL",
    still: [0, 1, 2],
    goesOn: "done",
    after: [0, 1, 2, 3],
    closed: "done",
    anew: [0, 1, 2, 3],
  });
});

test("D6: on a file system that became read-only a store is read from a copy, writing is E_STORE_READ_ONLY, and goes on once it is writable", () => {
  const said = onSmallDisk(
    "8m",
    `writeAndDie(3);
     rmSync(path + "-shm", { force: true });
     mount("ro");
     const store = await openRawStore(path, { thread: false });
     said.values = await values(store);
     said.code = await codeOf(() => append(store, 3));
     said.content = await codeOf(() => store.putContent(Buffer.from("x")));
     said.gc = await codeOf(() => store.driver.gc(0));
     const second = await openRawStore(path, { thread: false });
     said.closed = await codeOf(() => second.close());
     mount("rw");
     said.goesOn = (await Promise.all([codeOf(() => append(store, 3)), codeOf(() => store.putContent(Buffer.from("x")))])).join();
     said.after = await values(store);
     said.closedToo = await codeOf(() => store.close());
     said.anew = await values(await openRawStore(path, { thread: false }));
     said.copies = readdirSync("/dev/shm");`,
  );
  expect(said).toEqual({
    values: [0, 1, 2],
    code: "E_STORE_READ_ONLY",
    content: "E_STORE_READ_ONLY",
    gc: "E_STORE_READ_ONLY",
    closed: "done",
    goesOn: "done,done",
    after: [0, 1, 2, 3],
    closedToo: "done",
    anew: [0, 1, 2, 3],
    copies: [],
  });
});

test("D6: on a file system that became read-only a store with its shared memory file is read in place, and writing is E_STORE_READ_ONLY", () => {
  const said = onSmallDisk(
    "8m",
    `writeAndDie(3);
     mount("ro");
     const store = await openRawStore(path, { thread: false });
     said.values = await values(store);
     said.code = await codeOf(() => append(store, 3));
     said.content = await codeOf(() => store.putContent(Buffer.from("x")));
     said.gc = await codeOf(() => store.driver.gc(0));
     said.closed = await codeOf(() => store.close());`,
  );
  expect(said).toEqual({
    values: [0, 1, 2],
    code: "E_STORE_READ_ONLY",
    content: "E_STORE_READ_ONLY",
    gc: "E_STORE_READ_ONLY",
    closed: "done",
  });
});

test("D6: a store that is open elsewhere is read through a read-only mount of its file system, and writing there is E_STORE_READ_ONLY", () => {
  const said = onSmallDisk(
    "8m",
    `const store = await openRawStore(path, { thread: false });
     await begin(store);
     await append(store, 0);
     execFileSync("sh", ["-c", 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"', disk]);
     const second = await openRawStore(path, { thread: false });
     said.values = await values(second);
     said.code = await codeOf(() => append(second, 1));
     said.closed = await codeOf(() => second.close());
     execFileSync("umount", ["--lazy", disk]);
     said.goesOn = await codeOf(() => append(store, 1));
     said.after = await values(store);`,
  );
  expect(said).toEqual({
    values: [0],
    code: "E_STORE_READ_ONLY",
    closed: "done",
    goesOn: "done",
    after: [0, 1],
  });
});

test.each([
  ["in a folder it may write", "0700"],
  ["in a folder it may not write", "0500"],
])(
  "D6: a store whose file its owner may only read, %s, is read, and writing is E_STORE_READ_ONLY",
  (_how, mode) => {
    need("another user");
    const said = onSmallDisk(
      "8m",
      `writeAndDie(3);
       await openRawStore(disk + "/warm/refloat.db", { thread: false }); // loads what a stranger may not read
       const home = disk + "/home";
       for (const name of readdirSync(home)) { chownSync(home + "/" + name, 65534, 65534); chmodSync(home + "/" + name, 0o400); }
       chownSync(home, 65534, 65534);
       chmodSync(home, 0o${mode});
       process.setgroups([]);
       process.setgid(65534);
       process.setuid(65534);
       const store = await openRawStore(path, { thread: false });
       said.values = await values(store);
       said.code = await codeOf(() => append(store, 3));
       said.still = await values(store);
       said.closed = await codeOf(() => store.close());`,
    );
    expect(said).toEqual({
      values: [0, 1, 2],
      code: "E_STORE_READ_ONLY",
      still: [0, 1, 2],
      closed: "done",
    });
  },
);
