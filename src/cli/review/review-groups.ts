/**
 * The review: every group put before somebody at a terminal, the worst first, then the plan of what he chose, asked once.
 * It decides only; the plan it shows is the one `settle` carries out.
 */
import type { ReviewOutcome } from "../../app/salvage/review.ts";
import type { ManifestGroup } from "../../model/manifest.ts";
import type { SettleOutcome } from "../../salvage/settle/settle.ts";
import { oneLine } from "../screen/words.ts";
import { editText } from "./edit-text.ts";
import { messageIn, type ReviewOrder, reviewPages } from "./review-pages.ts";
import { groupScreen, listScreen, pageRows, pageScreen } from "./review-screen.ts";
import {
  beginReview,
  edited,
  fitted,
  press,
  type ReviewFacts,
  type ReviewState,
  type ScreenFacts,
} from "./review-state.ts";
import { ReviewTerminal } from "./review-terminal.ts";

export async function reviewGroups(order: ReviewOrder): Promise<ReviewOutcome> {
  const facts = factsOf(order);
  const terminal = new ReviewTerminal();
  try {
    return await walk(order, facts, showing(order, facts, terminal), terminal);
  } finally {
    terminal.close();
  }
}

const factsOf = ({ groups, canCommit }: ReviewOrder): ReviewFacts => ({
  canCommit,
  groups: groups.map(({ group: { id, verdict }, proposed }) => ({ id, verdict, proposed })),
});

interface OnScreen extends ScreenFacts {
  readonly planned: SettleOutcome | null;
}

type Show = (state: ReviewState) => Promise<OnScreen>;

async function walk(
  order: ReviewOrder,
  facts: ReviewFacts,
  show: Show,
  terminal: ReviewTerminal,
): Promise<ReviewOutcome> {
  let state = beginReview(order.message);
  let planSeen: ReviewState["choices"] | null = null;
  for (;;) {
    const onScreen = await show(state);
    state = fitted(state, onScreen);
    // An answer typed before this plan was there is no answer to it.
    if (state.screen.kind === "plan" && planSeen !== state.choices) terminal.forgetKeys();
    planSeen = state.screen.kind === "plan" ? state.choices : null;
    const happened = await terminal.next();
    if (happened.kind === "signal") return happened;
    if (happened.kind === "redraw") continue;
    state = press(facts, state, happened.key, onScreen);
    const { screen } = state;
    if (screen.kind === "edit") state = await editMessage(order, state, onScreen.planned, terminal);
    if (screen.kind !== "end") continue;
    switch (screen.how) {
      case "agreed":
        return onScreen.planned
          ? { kind: "agreed", choices: state.choices, message: state.message, planned: onScreen.planned }
          : { kind: "quit" };
      case "quit":
        return { kind: "quit" };
      case "interrupted":
        return { kind: "signal", signal: "SIGINT" };
      default:
        return screen.how satisfies never;
    }
  }
}

function showing(order: ReviewOrder, facts: ReviewFacts, terminal: ReviewTerminal): Show {
  const { manifest } = order;
  const { style } = order.context.out;
  const byId = new Map(manifest.groups.map((group) => [group.id, group]));
  const pageOf = reviewPages(order, () => terminal.draw(["Making the plan ..."]));
  return async (state) => {
    const size = terminal.size();
    const { at, choices, screen } = state;
    const fact = facts.groups[at] as ReviewFacts["groups"][number];
    const group: ManifestGroup = byId.get(fact.id) ?? { ...fact, reasons: [], changes: [] };
    if (screen.kind === "page" || screen.kind === "plan") {
      const { title, lines, planned } = await pageOf(state, group, size.columns);
      const shown = { lines: lines.length, rows: pageRows(size), canAgree: planned !== null, planned };
      const page = { title, lines, canAgree: shown.canAgree };
      terminal.draw(pageScreen(style, page, fitted(state, shown), size));
      return shown;
    }
    if (screen.kind === "list") {
      const listed = facts.groups.map((one) => ({
        group: byId.get(one.id) ?? { ...one, reasons: [], changes: [] },
        choice: choices.get(one.id) ?? null,
      }));
      terminal.draw(listScreen(style, listed, screen.cursor, state, size));
      return { lines: listed.length, rows: pageRows(size), canAgree: false, planned: null };
    }
    const view = {
      manifest,
      group,
      at,
      total: facts.groups.length,
      proposed: fact.proposed,
      policy: order.policy,
      isOwn: order.groups[at]?.isOwn === true,
      choice: choices.get(fact.id) ?? null,
    };
    terminal.draw(groupScreen(style, view, state, size));
    return { lines: 0, rows: 0, canAgree: false, planned: null };
  };
}

async function editMessage(
  order: ReviewOrder,
  state: ReviewState,
  planned: SettleOutcome | null,
  terminal: ReviewTerminal,
): Promise<ReviewState> {
  const done = await terminal.lend(() => editText(messageIn(order, state, planned), process.env));
  switch (done.kind) {
    case "edited":
      return edited(state, done.text, `The message is now: ${oneLine(done.text.split("\n")[0] ?? "")}`);
    case "empty":
      return edited(state, null, "The message was left empty: it stays as it was.");
    case "failed":
      return edited(state, null, `The message stays as it was: ${oneLine(done.why)}.`);
    default:
      return done satisfies never;
  }
}
