/** axe-core at every view of the page that there is, in both themes: with content and without, while something runs, where it failed, who may not look. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { deadOwner } from "../support/cli.ts";
import { ANN, leftSession } from "../support/left-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type Scene, scene } from "../support/two-faces.ts";
import { assertFits, browserAt, shot } from "./browser.ts";
import { png } from "./png.ts";
import { SERIOUS } from "./serious.ts";
import { type ServedTest, served, withPage } from "./served.ts";
import { type Story, story } from "./story.ts";
import { group } from "./tab.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface View {
  readonly name: string;
  /** Left out: where the one before it was. */
  readonly hash?: string;
  go?(tab: Page): Promise<unknown>;
  /** All of them are on the screen; no word of them stands in the frame, or in a view that only waits. */
  there(tab: Page): readonly Locator[];
  /** It shows that something is being waited for. */
  readonly isWaiting?: true;
}

const heading = (name: string | RegExp) => (tab: Page) => tab.getByRole("heading", { name, exact: true });
const button = (tab: Page, name: string | RegExp) => tab.getByRole("button", { name });
const press = (name: string | RegExp) => (tab: Page) => button(tab, name).first().click();

/** A phone's, and where nothing may hang over the edge. */
const PHONE = { width: 360, height: 740 };
const DESK = { width: 1280, height: 900 };

/** What `tab` shows, in the light and in the dark, and on a phone's width. */
async function judged(tab: Page, { name, isWaiting, there }: View): Promise<unknown[]> {
  for (const one of there(tab)) await one.first().waitFor();
  const waits = tab.locator(".waiting, .record-wait");
  if (!isWaiting) await expect.poll(() => waits.count(), { timeout: 30_000 }).toBe(0);
  if (!(await tab.evaluate<boolean>("'axe' in window"))) await tab.evaluate(AXE);
  const found: unknown[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await tab.emulateMedia({ colorScheme });
    const serious = await tab.evaluate<unknown[]>(SERIOUS);
    if (serious.length > 0) found.push([name, colorScheme, serious]);
    await shot(tab, `every ${name} ${colorScheme}`.replaceAll(/\W+/g, "-"));
  }
  await tab.setViewportSize(PHONE);
  const serious = await tab.evaluate<unknown[]>(SERIOUS);
  if (serious.length > 0) found.push([name, "phone", serious]);
  await assertFits(tab);
  await shot(tab, `every ${name} phone`.replaceAll(/\W+/g, "-"));
  await tab.setViewportSize(DESK);
  return found;
}

async function allJudged(tab: Page, origin: string, views: readonly View[]): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const view of views) {
    if (view.hash !== undefined) await tab.goto(`${origin}/#${view.hash}`);
    await view.go?.(tab);
    found.push(...(await judged(tab, view)));
  }
  return found;
}

const isIn = (title: string, more: string) => (tab: Page) => [
  heading(title)(tab),
  tab.locator(`main ${more}`),
];
const dialog = (title: string | RegExp, more: string) => (tab: Page) => [
  tab.getByRole("dialog").getByRole("heading", { name: title, exact: true }),
  tab.getByRole("dialog").getByText(more),
];

const BROKEN = { code: "E_STORE_BUSY", message: "The store is busy.", hint: "Run `refloat doctor`." };

const LEFT_BYTES = Buffer.from([0, 9, 9]);

/** In this order: each goes on from the one before. */
const viewsOf = (told: Story, go: string): readonly View[] => [
  {
    name: "home",
    hash: "/",
    there: (tab) => [
      heading("2 sessions left work that is yours to decide on")(tab),
      heading("Cut off, with nothing left to decide")(tab),
      heading("At work now")(tab),
      heading("Before that")(tab),
      heading("In a terminal")(tab),
    ],
  },
  { name: "sessions", hash: "/sessions", there: isIn("Sessions", "ul.rows") },
  {
    name: "no such session",
    go: (tab) => tab.getByRole("searchbox").fill("nothing of the kind"),
    there: (tab) => [tab.getByText("No session is like that.")],
  },
  { name: "parked", hash: "/parked", there: isIn("Parked work", "li.card h2") },
  {
    name: "bring back",
    go: press("Bring it back"),
    there: (tab) => [
      ...dialog("Bring it back", "One click takes all of it back.")(tab),
      button(tab, /^Do it/),
    ],
  },
  {
    name: "changed meanwhile",
    go: async (tab) => {
      told.repo.write("put-away.md", "mine\n");
      await press(/^Do it/)(tab);
    },
    there: dialog("Bring it back", "It changed meanwhile"),
  },
  {
    name: "conflict",
    go: async (tab) => {
      await press(/^Not now/)(tab);
      await press("Bring it back")(tab);
    },
    there: dialog("Bring it back", "1 conflict: left as it is"),
  },
  {
    name: "work trees",
    hash: "/worktrees",
    go: (tab) => tab.reload(),
    there: isIn("Work trees", "li.card .verdict-safe"),
  },
  {
    name: "removing",
    go: press("Remove it"),
    there: dialog("Remove work trees", "One click takes all of it back."),
  },
  {
    name: "doctor",
    hash: "/doctor",
    go: (tab) => tab.reload(),
    there: isIn("Doctor", ".finding, .hero-good"),
  },
  { name: "storage", hash: "/storage", there: isIn("Storage", ".meter-box") },
  {
    name: "what happened",
    hash: "/session/shop",
    there: (tab) => [heading("Its life")(tab), tab.getByText("it had ended without saying so")],
  },
  {
    name: "handoff",
    hash: "/session/shop/handoff",
    there: (tab) => [tab.locator(".brief"), tab.getByRole("slider")],
  },
  {
    name: "board",
    hash: "/session/shop/left",
    there: (tab) => [heading("Risky 3")(tab), heading("Safe 1")(tab)],
  },
  {
    name: "board with everything open",
    go: async (tab) => {
      for (const key of ["d", "r", "?", "u"]) await tab.keyboard.press(key);
    },
    there: (tab) => [tab.getByText("total +="), tab.locator(".evidence"), tab.locator("dl.keys")],
  },
  {
    name: "check that runs",
    go: async (tab) => {
      rmSync(go);
      await press("Run it now")(tab);
    },
    there: (tab) => [tab.getByText("begins to look"), tab.locator(".watched .spinner")],
  },
  {
    name: "check that ran",
    go: async () => writeFileSync(go, ""),
    there: (tab) => [tab.getByText("is in these verdicts"), button(tab, "Run it now")],
  },
  {
    name: "sure",
    go: async (tab) => {
      await button(tab, "Leave").first().click();
      await group(tab, "src/cart.mjs").getByRole("button", { name: "Discard", exact: true }).click();
    },
    there: (tab) => [tab.getByText("Discard it?")],
  },
  {
    name: "plan",
    go: async (tab) => {
      await group(tab, "src/cart.mjs").getByRole("button", { name: "Park", exact: true }).click();
      await press(/^Show the plan/)(tab);
    },
    there: (tab) => [...dialog("The plan", "One click takes all of it back.")(tab), button(tab, /^Do it/)],
  },
  {
    name: "receipt",
    go: press(/^Do it/),
    there: (tab) => [tab.getByText("1 file parked"), button(tab, "Take it back")],
  },
  {
    name: "taking back",
    go: press("Take it back"),
    there: (tab) => [
      ...dialog("Take it back", "One click takes all of it back.")(tab),
      button(tab, /^Do it/),
    ],
  },
  {
    name: "nothing changed",
    hash: "/session/left-session/left",
    go: async (tab) => {
      await tab.reload();
      await group(tab, "data.bin").getByRole("button", { name: "Park", exact: true }).click();
      await press(/^Show the plan/)(tab);
      await button(tab, /^Do it/).waitFor();
      told.repo.write("data.bin", Buffer.from([0, 9, 8]));
      await press(/^Do it/)(tab);
    },
    there: (tab) => [heading("Nothing was changed")(tab), tab.getByRole("dialog").getByRole("alert")],
  },
  {
    name: "pictures",
    hash: "/session/left-session/left",
    go: async (tab) => {
      told.repo.write("data.bin", LEFT_BYTES);
      await tab.reload();
      for (const path of ["logo.png", "data.bin"])
        await group(tab, path)
          .getByRole("button", { name: /^Show changes/ })
          .click();
    },
    there: (tab) => [tab.getByText("48 × 48"), tab.getByText("64 × 64"), tab.getByText("2 bytes shorter")],
  },
  { name: "at work", hash: "/session/live-one/left", there: (tab) => [tab.getByText("It is still at work")] },
  {
    name: "no such place",
    hash: "/session/nobody",
    there: (tab) => [tab.getByRole("alert"), button(tab, "Try again")],
  },
  {
    name: "failed",
    hash: "/storage",
    go: async (tab) => {
      await tab.route("**/api/storage", (asked) => asked.fulfill({ status: 503, json: BROKEN }));
      await tab.reload();
    },
    there: (tab) => [heading("Storage")(tab), tab.getByText("The store is busy.")],
  },
  {
    name: "waiting",
    hash: "/worktrees",
    go: async (tab) => {
      await tab.route("**/api/worktrees", () => undefined);
      await tab.reload();
    },
    there: (tab) => [heading("Work trees")(tab), tab.getByText("Looking at each work tree …")],
    isWaiting: true,
  },
];

const EMPTY: readonly View[] = [
  {
    name: "nothing yet",
    hash: "/",
    there: (tab) => [tab.getByText("No sessions yet"), tab.getByText("refloat run -- claude")],
  },
  { name: "no sessions", hash: "/sessions", there: isIn("Sessions", "p.empty") },
  { name: "nothing parked", hash: "/parked", there: isIn("Parked work", ".hero-word") },
  { name: "one work tree", hash: "/worktrees", there: isIn("Work trees", "li.card") },
  { name: "nothing stored", hash: "/storage", there: isIn("Storage", ".hero-word") },
];

/** First views of a store in which nobody died, in this order. */
const quietViews = ({ place, repo }: Scene): readonly View[] => [
  {
    name: "nothing at stake",
    hash: "/",
    go: async (tab) => {
      await place.withStore(async (store) => {
        await (await store.begin({ id: "over-one", agent: "tester", workspace: repo.root })).finish();
      });
      await tab.reload();
    },
    there: (tab) => [tab.getByText("Nothing is at stake"), heading("Before that")(tab)],
  },
  {
    name: "suspended",
    go: async (tab) => {
      await place.withStore(async (store) => {
        const about = { id: "held-one", agent: "tester", workspace: repo.root, captures: "off" } as const;
        await (await store.begin(about)).release();
      });
      expect((await place.refloat(["suspend", "held-one", "--reason", "it waits"])).code).toBe(0);
      await tab.reload();
    },
    there: (tab) => [
      heading("1 session is suspended; no work is at stake")(tab),
      tab.getByText("refloat lift held-one"),
    ],
  },
  {
    name: "what happened, suspended",
    hash: "/session/held-one",
    there: (tab) => [heading("Its life")(tab), tab.locator(".moment-held")],
  },
];

/** A server that an agent started. */
const MARKED: View = {
  name: "look, not act",
  hash: "/",
  there: (tab) => [tab.getByText("Look, but not act")],
};

/** A check that says something and waits for the file, which is there until it is watched. */
const waitingCheck = (go: string): string => `echo begins to look; until [ -e ${go} ]; do sleep 0.05; done`;

/** A store that has something for every view. */
async function filled(told: Story, go: string): Promise<void> {
  const { place, repo } = told;
  repo.git("worktree", "add", "-q", "-b", "done", join(temporaryFolder(), "done"));
  await leftSession(place, repo, {
    id: "parked-one",
    edits: { "put-away.md": () => repo.write("put-away.md", "A note.\n") },
  });
  expect((await place.refloat(["park", "parked-one", "--all", "--yes"], { env: ANN })).code).toBe(0);
  await leftSession(place, repo, {
    edits: {
      "logo.png": () => repo.write("logo.png", png([30, 60, 200], 64)),
      "data.bin": () => repo.write("data.bin", LEFT_BYTES),
    },
  });
  const checked = await place.refloat(["inspect", "shop", "--verify", waitingCheck(go)], { env: ANN });
  expect(checked.code).toBe(0);
}

/** Another window: `address` as somebody types it. */
async function windowAt(context: BrowserContext, address: string): Promise<Page> {
  const tab = await context.newPage();
  await tab.goto(address);
  return tab;
}

describe("who cannot see, or sees otherwise", { timeout: 300_000 }, () => {
  it("axe-core has nothing serious to say of any view there is, in either theme or on a phone's width, and sees each as it is when all of it is there", async () => {
    const told = await story([], [], {
      "logo.png": png([200, 30, 30]),
      "data.bin": Buffer.from([0, 1, 2, 3, 255]),
    });
    await told.kill();
    const { place, repo } = told;
    const go = join(temporaryFolder(), "go");
    writeFileSync(go, "");
    await filled(told, go);
    const found: unknown[] = [];
    await place.withStore(async (store) => {
      const about = { agent: "tester", workspace: repo.root, captures: "off" } as const;
      await (await store.begin({ ...about, id: "cut-one", owner: deadOwner() })).turn("go");
      await (await store.begin({ ...about, id: "finished-one" })).finish();
      await (await store.begin({ ...about, id: "live-one" })).turn("go");
      await withPage(place, async (page) => {
        const tab = await browserAt(page, { reducedMotion: "reduce" });
        found.push(...(await allJudged(tab, page.origin, viewsOf(told, go))));
        found.push(...(await strangers(tab.context(), page)));
        const empty = scene();
        empty.repo.write("base.txt", "base\n");
        empty.repo.commit("base");
        await withPage(empty.place, async (other) => {
          const fresh = await windowAt(tab.context(), other.address);
          found.push(...(await allJudged(fresh, other.origin, EMPTY)));
          found.push(...(await allJudged(fresh, other.origin, quietViews(empty))));
        });
        const marked = await served(empty.place, [], { env: { ...ANN, REFLOAT_SESSION: "held-one.1.abc" } });
        const looking = await windowAt(tab.context(), marked.address);
        found.push(...(await allJudged(looking, marked.origin, [MARKED])));
        await marked.end();
      });
    });
    expect(found).toEqual([]);
  });
});

/** Who has no token, and who has another one. */
async function strangers(context: BrowserContext, { origin }: ServedTest): Promise<unknown[]> {
  const locked = await windowAt(context, origin);
  const refused = await windowAt(context, `${origin}/#token=wrong`);
  return [
    ...(await judged(locked, {
      name: "locked",
      there: (tab) => [heading("This address is not enough")(tab)],
    })),
    ...(await judged(refused, {
      name: "refused",
      there: (tab) => [tab.getByText("This page is no longer the server's")],
    })),
  ];
}
