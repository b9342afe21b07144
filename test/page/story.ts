/** The story the page is for: an agent under `refloat run` did one thing whole, is in the middle of another, and is killed. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BIN } from "../support/cli.ts";
import { ANN } from "../support/left-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type Scene, scene } from "../support/two-faces.ts";
import { CART_CUT, SHOP, TAXED } from "./shop.ts";

const AGENT = join(import.meta.dirname, "../fakes/operations-agent.mjs");

export interface Story extends Scene {
  /** Ends the agent as `kill -9` does; resolves when refloat has written down that it died. */
  kill(): Promise<void>;
  /** Nobody wrote that down: both the agent and its supervisor go at once. */
  killBoth(): Promise<void>;
}

/** `flags`: of `refloat run`. `files`: what else the repository has. */
export async function story(
  more: readonly (readonly string[])[] = [],
  flags: readonly string[] = [],
  files: Readonly<Record<string, string | Buffer>> = {},
): Promise<Story> {
  const at = scene();
  const { place, repo } = at;
  for (const [path, text] of Object.entries({ ...SHOP, ...files })) repo.write(path, text);
  repo.commit("base");
  const notes = temporaryFolder();
  const plan = [
    ["print", "I will add the tax, then the checkout."],
    ["begin", "add the tax"],
    ["write", "src/taxed.mjs", TAXED],
    ["end"],
    ["begin", "rewrite the cart"],
    ["write", "src/cart.mjs", CART_CUT],
    ...more,
    ["print", "Now the checkout goes through all items."],
    ["note", "middle"],
    ["await", "never"],
  ];
  const command = [process.execPath, AGENT, notes, JSON.stringify(plan), BIN];
  const child = place.start(["run", "--name", "shop", "--agent", "claude", ...flags, "--", ...command], {
    env: ANN,
  });
  child.stdout?.resume();
  child.stderr?.resume();
  await untilThere(join(notes, "middle"));
  const agent = Number(readFileSync(join(notes, "middle"), "utf8"));
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    ...at,
    kill: async () => {
      process.kill(agent, "SIGKILL");
      await ended;
    },
    killBoth: async () => {
      child.kill("SIGKILL");
      process.kill(agent, "SIGKILL");
      await ended;
    },
  };
}

async function untilThere(path: string): Promise<void> {
  for (let i = 0; i < 3000 && !existsSync(path); i++) await sleep(20);
}
