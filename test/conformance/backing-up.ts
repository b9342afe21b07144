/** Backup: one file that is a whole store, made while others write, and never over anything. */
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { backupStore } from "../../dist/store/backup.js";
import { checkStore } from "../../dist/store/check.js";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { begun, codeOf, decided, journal, type MakePlace, open } from "./harness.ts";

export function backupLaws(make: MakePlace): void {
  test("a backup opens as a store of its own with every record and content, and nothing else is left beside it", async () => {
    const place = make();
    const store = await open(place);
    const { session, attempt } = await begun(store);
    const content = await store.putContent(randomBytes(3_000_000));
    const named = { ...decided("v".repeat(300_000)), contents: [{ hash: content.hash, path: "a.bin" }] };
    await store.append(session, { attempt }, [named]);
    const path = join(temporaryFolder(), "backup.db");
    await backupStore(store, path);
    expect(readdirSync(dirname(path))).toEqual(["backup.db"]);
    const copy = await open({ ...make(), url: path, options: { ...place.options, thread: false } });
    expect(await journal(copy, session)).toEqual(await journal(store, session));
    expect((await checkStore(copy)).damage).toEqual([]);
    expect(await copy.driver.readContent(content.hash)).toEqual(await store.driver.readContent(content.hash));
  });

  test("a backup is refused where something is, and that stays as it was", async () => {
    const store = await open(make());
    await begun(store);
    const path = join(temporaryFolder(), "backup.db");
    await backupStore(store, path);
    expect(await codeOf(backupStore(store, path))).toBe("E_EXISTS");
    expect(readdirSync(dirname(path))).toEqual(["backup.db"]);
  });
}
