/** `store gc`: contents nothing names go, records stay (D2). What a writer may still be about to name stays too. */
import { UNNAMED_CONTENT_GRACE_MS } from "../../../model/limits.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { bytesText, count } from "../../screen/words.ts";

export async function run(context: Context): Promise<CommandEnd> {
  const store = await context.openStore();
  const { driver } = store.raw;
  const before = await driver.info();
  const { contents, bytes } = await driver.gc(context.clock.nowMs() - UNNAMED_CONTENT_GRACE_MS);
  const after = await driver.info();
  await context.out.result({
    command: "store-gc",
    json: { contents, bytes, store_bytes_before: before.bytes, store_bytes_after: after.bytes },
    text: () => [
      contents === 0
        ? "Nothing to drop: every content is named by a record."
        : `Dropped ${count(contents, "content")}, ${bytesText(bytes)}.`,
      `The store takes ${bytesText(after.bytes)}, ${bytesText(before.bytes)} before.`,
    ],
  });
  return EXIT.done;
}
