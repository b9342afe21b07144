/**
 * blackbox.html of a bundle: the views of a session, of what the file itself holds. There is no server: nobody is asked, nothing is loaded, and nothing
 * can be done; the same components show the same as the page did (S7).
 */
import { render } from "preact";
import type { OutputRate } from "../../src/app/sessions/output-rate.ts";
import { answerFrom } from "./api.ts";
import { diffBlocks } from "./diff-rows.ts";
import { haveBlocks } from "./diff-view.tsx";
import { Boat, Notice, ThemeButton } from "./parts.tsx";
import { followRoute, route } from "./route.ts";
import { SessionView } from "./session-view.tsx";
import { followTheme } from "./theme.ts";
import type { ShownRecord, ToldDiff, ToldSalvage, ToldSession } from "./told.ts";
import { shown, shownLine } from "./words.ts";

interface HeldBox {
  readonly made_at: string;
  readonly told: ToldSession;
  readonly salvage: ToldSalvage;
  readonly handoff: Readonly<Record<string, unknown>>;
  readonly diffs: readonly (ToldDiff & { readonly group: string })[];
  readonly records: readonly ShownRecord[];
  readonly rate: OutputRate | null;
  readonly gaps: readonly { readonly path: string; readonly why: string }[];
}

function answersOf(box: HeldBox): (path: string, query: Readonly<Record<string, unknown>>) => unknown {
  const bySeq = new Map(box.records.map((one) => [one.seq, one]));
  const records = ({ from, limit }: Readonly<Record<string, unknown>>): unknown => {
    const { head } = box.told;
    const to = Math.min(head, Number(from) + Number(limit) - 1);
    const found: ShownRecord[] = [];
    for (let seq = Number(from); seq <= to; seq++) found.push(bySeq.get(seq) ?? leftOut(seq, box.made_at));
    return { session: box.told.session.id, head, records: found };
  };
  return (path, query) => {
    const view = path.split("/")[4];
    switch (view) {
      case undefined:
        return box.told;
      case "records":
        return records(query);
      case "salvage":
        return box.salvage;
      case "diff":
        return box.diffs.find(({ group }) => group === query.group);
      case "rate":
        return { rate: box.rate };
      case "handoff":
        return box.handoff;
      default:
        return undefined;
    }
  };
}

/** The journal beside the file has it. */
const leftOut = (seq: number, at: string): ShownRecord => ({
  ...{ seq, at, kind: "left out of this file", attempt: null, body: {} },
  ...{ state: "whole", isRedacted: false },
});

function Blackbox({ box }: { readonly box: HeldBox }) {
  const at = route.value;
  const { id } = box.told.session;
  return (
    <>
      <header class="top">
        <span class="brand">
          <Boat />
          <span>refloat black box</span>
        </span>
        <div class="top-end">
          <ThemeButton />
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <Notice tone="plain" title={`As it was on ${new Date(box.made_at).toLocaleString()}`}>
          A file that shows what a session left; nothing can be done from here. README.txt beside it says how
          the work is brought back.
        </Notice>
        <SessionView session={id} tab={at.kind === "session" ? at.tab : "left"} />
        {box.gaps.length > 0 ? (
          <section aria-labelledby="gaps">
            <h2 id="gaps">Not in this bundle</h2>
            <ul class="paths">
              {box.gaps.slice(0, MAX_GAPS).map(({ path, why }) => (
                <li key={path}>
                  <span class="path">{shown(path)}</span> <span class="why">{shownLine(why)}</span>
                </li>
              ))}
            </ul>
          </section>
        ) : null}
      </main>
    </>
  );
}

const MAX_GAPS = 200;

const text = document.getElementById("held")?.textContent ?? "{}";
const box = JSON.parse(text) as HeldBox;
answerFrom(answersOf(box));
haveBlocks(diffBlocks);
followTheme();
followRoute();
const root = document.getElementById("app");
if (root) {
  // What stands there is for where no script runs.
  root.replaceChildren();
  render(<Blackbox box={box} />, root);
}
