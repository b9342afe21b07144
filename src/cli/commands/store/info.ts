/** `store info`: where it is, what it holds, what it runs on. */
import { DEFAULT_STORE_CAP_BYTES } from "../../../model/limits.ts";
import type { DriverInfo } from "../../../store/contract/driver.ts";
import { digits } from "../../../text/counting.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { scopeOf } from "../../screen/claim-reach.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { factLines } from "../../screen/fact-lines.ts";
import { bytesText, oneLine } from "../../screen/words.ts";

export async function run(context: Context): Promise<CommandEnd> {
  const store = await context.openStore();
  const info = await store.raw.driver.info();
  await context.out.result({
    command: "store-info",
    json: {
      kind: info.kind,
      location: info.location,
      scope: scopeOf(info.kind),
      store_id: info.storeId,
      schema_version: info.schema,
      engine: info.engine,
      file_system: info.fileSystem,
      sessions: info.sessions,
      records: info.records,
      contents: info.contents,
      content_bytes: info.contentBytes,
      bytes: info.bytes,
      cap_bytes: DEFAULT_STORE_CAP_BYTES,
      losses: info.losses,
    },
    text: () => infoLines(context, info),
  });
  return EXIT.done;
}

function infoLines(context: Context, info: DriverInfo): string[] {
  const fileSystem = info.fileSystem === null ? [] : [["file system", info.fileSystem] as const];
  const losses = info.losses.map(
    (loss) =>
      [
        "loss",
        `session ${oneLine(String(loss.session))} from #${Number(loss.found) + 1} to #${loss.expected}`,
      ] as const,
  );
  return factLines(context.out, [
    ["store", oneLine(info.location)],
    ["scope", scopeOf(info.kind)],
    ["engine", `${oneLine(info.engine)}, schema ${info.schema}`],
    ...fileSystem,
    ["id", oneLine(info.storeId)],
    ["sessions", digits(info.sessions)],
    ["records", digits(info.records)],
    ["contents", `${digits(info.contents)}, ${bytesText(info.contentBytes)}`],
    ["size", `${bytesText(info.bytes)} on disk, of at most ${bytesText(DEFAULT_STORE_CAP_BYTES)}`],
    ...losses,
  ]);
}
