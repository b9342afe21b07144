// Syncs per message, counted by strace: beside the times, because what does not sync is always fast.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { countSyncs, scratchDirectory } from "./raw.mjs";

const MESSAGES = 200;

export async function run() {
  const dir = scratchDirectory("syncs");
  const child = fileURLToPath(new URL("./syncs-child.mjs", import.meta.url));
  const counted = await countSyncs(process.execPath, [child, join(dir, "store.db")], process.env);
  rmSync(dir, { recursive: true });
  if (counted.kind !== "counted")
    return [
      {
        goal: "D1",
        what: "syncs per message",
        value: Number.NaN,
        target: 1,
        want: "about",
        note: counted.reason,
      },
    ];
  const { total } = counted.spans.appends;
  return [
    {
      goal: "D1",
      what: "syncs per message (one writer; checkpoints included)",
      value: total / MESSAGES,
      target: 1,
      want: "about",
      note: `${total} syncs for ${MESSAGES} messages`,
    },
  ];
}
