import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { openerFor, openInBrowser } from "./open-in-browser.ts";

const ADDRESS = "http://127.0.0.1:4000/#token=verysecret&to=%2F";

describe("opening the page in a browser", () => {
  it("hands over a file that only the user may read, and no token where other users see it", async () => {
    const folder = temporaryFolder();
    const bin = join(folder, "bin");
    const said = join(folder, "said");
    mkdirSync(bin);
    for (const name of ["xdg-open", "open"]) {
      writeFileSync(join(bin, name), `#!/bin/sh\necho "$@" > ${said}.new && mv ${said}.new ${said}\n`);
      chmodSync(join(bin, name), 0o755);
    }
    const opened = openInBrowser(ADDRESS, folder, { PATH: `${bin}:/bin:/usr/bin`, DISPLAY: ":0" });
    for (let i = 0; i < 500 && !existsSync(said); i++)
      await new Promise((resolve) => setTimeout(resolve, 20));
    const argument = readFileSync(said, "utf8").trim();
    expect(argument).toMatch(/^file:\/\//);
    expect(argument).not.toContain("verysecret");
    const file = fileURLToPath(argument);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toContain(JSON.stringify(ADDRESS));
    opened?.forget();
    expect(existsSync(file)).toBe(false);
  });

  it("starts nothing where nobody would see it, and leaves no file there", () => {
    expect(openerFor("linux", {})).toBeNull();
    expect(openerFor("linux", { WAYLAND_DISPLAY: "wayland-0" })).toBe("xdg-open");
    expect(openerFor("darwin", {})).toBe("open");
  });

  it("is no failure where there is no browser: the address stands on the screen", async () => {
    const folder = temporaryFolder();
    const opened = openInBrowser(ADDRESS, folder, { PATH: folder, DISPLAY: ":0" });
    await new Promise((resolve) => setTimeout(resolve, 100));
    opened?.forget();
  });
});
