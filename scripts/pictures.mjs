// `node scripts/pictures.mjs`, after npm run build: the pictures of docs/images, made of a story that really happens. A shop whose agents
// are killed in the middle of their work, under a real `refloat run` and by the library, served and looked at in a real Chromium
// (REFLOAT_CHROMIUM, else the system's). The pictures are looked at before they are committed.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const TREE = join(import.meta.dirname, "..");
const IMAGES = join(TREE, "docs/images");
const BIN = join(TREE, "dist/cli/bin.js");
const AGENT = join(TREE, "test/fakes/operations-agent.mjs");
const CHROMIUM = process.env.REFLOAT_CHROMIUM ?? "/usr/bin/chromium";
const DESK = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };

const folder = mkdtempSync(join(tmpdir(), "ann-"));
const [root, home, bundle, notes] = ["shop", "home", "bundle", "notes"].map((name) => join(folder, name));
const env = {
  ...{ PATH: process.env.PATH, HOME: home, REFLOAT_HOME: home, TZ: "UTC", LANG: "en_US.UTF-8" },
  ...{ GIT_AUTHOR_NAME: "Ann", GIT_AUTHOR_EMAIL: "ann@example.invalid" },
  ...{ GIT_COMMITTER_NAME: "Ann", GIT_COMMITTER_EMAIL: "ann@example.invalid" },
};

const PRICE = "export function price(item) {\n  return item.amount * item.cents;\n}\n";
const TAXED = `import { price } from './price.mjs';\n\nexport function taxed(item, rate) {\n  return Math.round(price(item) * (1 + rate));\n}\n`;
const CART = Array.from(
  { length: 8 },
  (_, i) => `export const step${i} = (cart) => ({ ...cart, at: ${i} });\n`,
).join("");
const CART_CUT = `${CART.slice(0, 210)}export const checkout = (cart) => {\n  for (const item of cart.items) {\n    total +=`;
const NOTES = "Notes\n\nThe tax is added per item.\nThe checkout goes through all items, and then it";

/** One thing done whole, one in the middle, a note that breaks off. */
const CHECKOUT = [
  ["print", "I will add the tax, then the checkout."],
  ["begin", "add the tax", "src/taxed.mjs"],
  ["write", "src/taxed.mjs", TAXED],
  ["end"],
  ["write", "docs/notes.txt", NOTES],
  ["begin", "rewrite the cart", "src/cart.mjs"],
  ["write", "src/cart.mjs", CART_CUT],
  ["print", "Now the checkout goes through all items."],
  ["note", "middle"],
  ["await", "never"],
];

/** What the program of the second session does before it dies, as another process: it says what is not so. */
const DEPLOYING = `
import { openStore } from "refloat";
import { setTimeout as sleep } from "node:timers/promises";
const store = await openStore(process.argv[1]);
const session = await store.begin({ id: "deploy-4f2a", name: "deploy", agent: "codex", workspace: process.argv[2], goal: "Deploy the shop" });
const turn = await session.turn("Run the tests and deploy the shop, please.");
const tests = await turn.call({ tool: "bash", input: { command: "npm test" } });
await sleep(900);
await tests.result({ exit_code: 1, output: "1 failed: the cart has no checkout" });
await session.operation("deploy");
await session.decide("target", "staging", { reason: "it is Friday", step: "2" });
await sleep(400);
await turn.append({ role: "assistant", parts: "All tests pass. I deploy now." });
const said = turn.message("assistant");
for (const piece of ["Now I roll it out, ", "first to the machines in ", "Frankfurt, then"]) {
  said.write(piece);
  await said.flushed();
  await sleep(300);
}
await turn.call({ tool: "bash", input: { command: "./deploy.sh --to staging" }, effect: "unknown" });
await sleep(500);
process.kill(process.pid, "SIGKILL");
`;

function git(...args) {
  const { status, stderr } = spawnSync("git", args, { cwd: root, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
}

function repository() {
  for (const made of [root, home, notes]) mkdirSync(made, { recursive: true });
  git("init", "-q", "-b", "main", ".");
  for (const [path, text] of [
    ["README.md", "# A shop\n\nSells things.\n"],
    ["docs/notes.txt", "Notes\n"],
    ["src/price.mjs", PRICE],
    ["src/cart.mjs", CART],
  ]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  git("add", "-A");
  git("commit", "-qm", "base");
}

/** Killed as the system kills: nobody asks the agent. */
async function checkoutDies() {
  const agent = [process.execPath, AGENT, notes, JSON.stringify(CHECKOUT), BIN];
  const args = ["run", "--name", "checkout", "--agent", "claude", "--bundle", bundle, "--", ...agent];
  const child = spawn(process.execPath, [BIN, ...args], { cwd: root, env, stdio: "ignore" });
  const ended = once(child, "exit");
  while (!existsSync(join(notes, "middle"))) await sleep(20);
  await sleep(2000);
  process.kill(Number(readFileSync(join(notes, "middle"), "utf8")), "SIGKILL");
  await ended;
}

async function deployDies() {
  const args = ["--input-type=module", "-e", DEPLOYING, join(home, "refloat.db"), root];
  await once(
    spawn(process.execPath, args, { cwd: TREE, env, stdio: ["ignore", "ignore", "inherit"] }),
    "exit",
  );
}

async function served() {
  const child = spawn(process.execPath, [BIN, "serve", "--no-open", "--json"], { cwd: root, env });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return { address: JSON.parse(line).address, end: () => child.kill() };
}

async function pictures(browser, address) {
  const at = (name) => join(IMAGES, `${name}.png`);
  const opened = async (how, url) => {
    const tab = await (await browser.newContext({ viewport: DESK, timezoneId: "UTC", ...how })).newPage();
    await tab.goto(url);
    return tab;
  };
  const tab = await opened({}, address);
  const { origin } = new URL(address);
  await tab.locator(".stake-list").waitFor();
  await tab.screenshot({ path: at("page-now") });
  await tab.getByRole("link", { name: "Decide what stays" }).click();
  const cart = tab.locator("article.group", { hasText: "src/cart.mjs" });
  await cart.waitFor();
  await tab.keyboard.press("u");
  await cart.getByRole("button", { name: /^Why/ }).click();
  await cart.getByText("does not parse").waitFor();
  await tab.evaluate("scrollTo(0, 0)");
  await tab.screenshot({ path: at("page-board") });
  await tab.goto(`${origin}/#/session/deploy-4f2a`);
  const talk = tab.getByRole("region", { name: "Conversation" });
  await talk.locator(".contradicted").first().waitFor();
  await talk.getByText("cut off here").waitFor();
  await tab.getByRole("heading", { name: "What was said and done" }).scrollIntoViewIfNeeded();
  await talk.screenshot({ path: at("page-conversation") });
  const dark = await opened({ colorScheme: "dark" }, address);
  await dark.goto(`${origin}/#/session/deploy-4f2a`);
  await dark.locator("path.rate").waitFor({ state: "attached" });
  await dark.getByText("The workspace says otherwise").first().waitFor();
  await dark.screenshot({ path: at("page-session") });
  const box = pathToFileURL(join(bundle, "blackbox.html")).href;
  const phone = await opened({ viewport: PHONE, colorScheme: "dark" }, box);
  await phone.getByRole("heading", { name: /^Risky/ }).waitFor();
  await phone.screenshot({ path: at("blackbox-phone") });
}

try {
  repository();
  await deployDies();
  await checkoutDies();
  const page = await served();
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    await pictures(browser, page.address);
  } finally {
    await browser.close();
    page.end();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
