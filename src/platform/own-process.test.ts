import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { program } from "../../test/support/program.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";

it("ends a process by the signal it had caught, so that a shell sees a death and not an exit", () => {
  const file = program(
    temporaryFolder(),
    `import { endBySignal } from "./platform/own-process.ts";
     process.on("SIGINT", () => console.log("caught again"));
     endBySignal("SIGINT");
     setTimeout(() => process.exit(7), 30_000);`,
  );
  const ran = spawnSync(process.execPath, [file], { encoding: "utf8" });
  expect([ran.status, ran.signal, ran.stdout]).toEqual([null, "SIGINT", ""]);
});
