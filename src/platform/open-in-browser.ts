/**
 * Opens an address in the user's browser. An argument of a command can be read by everybody on the machine, and this address has a token in it: so what
 * the browser is started with is a file that only the user may read, which leads there.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { writeAtomic } from "./durable-file.ts";
import { removeTemporary } from "./private-file.ts";
import { randomId } from "./random.ts";

export interface OpenedAddress {
  /** The file is needed no more; once is enough. */
  forget(): void;
}

/** `folder`: where a file of ours may lie. Null: there is no screen to open a browser on. */
export function openInBrowser(address: string, folder: string, env: NodeJS.ProcessEnv): OpenedAddress | null {
  const opener = openerFor(process.platform, env);
  if (opener === null) return null;
  const file = join(folder, `page-${randomId()}.html`);
  writeAtomic(file, leadingTo(address));
  const child = spawn(opener, [pathToFileURL(file).href], { stdio: "ignore", detached: true, env });
  // No browser came: the address stands on the screen.
  child.on("error", () => undefined);
  child.unref();
  let isThere = true;
  return {
    forget: () => {
      if (isThere) removeTemporary(file);
      isThere = false;
    },
  };
}

/** Null: nobody would see it. */
export function openerFor(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string | null {
  if (platform === "darwin") return "open";
  return env.DISPLAY || env.WAYLAND_DISPLAY ? "xdg-open" : null;
}

/** The address has only what a URL has: no quote ends the text it stands in. */
const leadingTo = (address: string): string =>
  `<!doctype html><meta charset="utf-8"><title>refloat</title><meta name="referrer" content="no-referrer"><script>location.replace(${JSON.stringify(address).replaceAll("<", "\\u003c")})</script>\n`;
