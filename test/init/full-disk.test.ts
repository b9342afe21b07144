/** `init` and `uninstall` on disks that are really full: each file is the old or the new one, and everything goes back, without room too. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { BIN } from "../support/cli.ts";
import { onSmallDisk } from "../support/small-disk.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** The store's folder is on the small disk; or the user's home with the agents' settings is. */
const scene = (small: "store" | "home", other: string): string => `
import { spawnSync } from "node:child_process";
const settings = '{\\n  "hooks": {},\\n  "more": "' + "x".repeat(5000) + '"\\n}\\n';
const [store, user] = ${small === "store" ? `[disk + "/store", ${JSON.stringify(other)}]` : `[${JSON.stringify(other)}, disk + "/user"]`};
const file = user + "/.claude/settings.json";
mkdirSync(user + "/.claude", { recursive: true });
writeFileSync(file, settings);
const refloat = (...args) => {
  const env = { PATH: process.env.PATH, HOME: user, REFLOAT_HOME: store };
  const { status, stderr } = spawnSync(process.execPath, [${JSON.stringify(BIN)}, ...args, "--yes"], { cwd: user, env, encoding: "utf8" });
  return status + " " + (/E_[A-Z_]+/.exec(stderr)?.[0] ?? "");
};
const isBack = () => readFileSync(file, "utf8") === settings && !existsSync(user + "/.claude.json");
`;

it("D6: a store's disk that is full refuses init with nothing changed, and lets uninstall give every byte back", () => {
  const said = onSmallDisk(
    "1m",
    `${scene("store", join(temporaryFolder(), "user"))}
    fill();
    said.init = refloat("init");
    said.same = isBack();
    said.nothing = refloat("uninstall");
    free();
    said.again = refloat("init");
    said.isPut = readFileSync(file, "utf8").includes("refloat-hook");
    fill();
    said.uninstall = refloat("uninstall");
    said.back = isBack();
    said.left = existsSync(store) ? readdirSync(store) : [];`,
  );
  expect(said).toEqual({
    ...{ init: "75 E_STORE_FULL", same: true, nothing: "0 ", again: "0 ", isPut: true },
    ...{ uninstall: "0 ", back: true, left: [] },
  });
});

it("D6: a home that is full keeps each of the agents' files whole, and both go on when there is room", () => {
  const said = onSmallDisk(
    "1m",
    `${scene("home", join(temporaryFolder(), "store"))}
    fill();
    said.init = refloat("init");
    said.same = isBack();
    free();
    said.again = refloat("init");
    fill();
    said.uninstall = refloat("uninstall");
    said.isWhole = JSON.parse(readFileSync(file, "utf8")).more.length;
    free();
    said.later = refloat("uninstall");
    said.back = isBack();`,
  );
  expect(said).toEqual({
    ...{ init: "75 E_STORE_FULL", same: true, again: "0 ", uninstall: "75 E_STORE_FULL", isWhole: 5000 },
    ...{ later: "0 ", back: true },
  });
});
