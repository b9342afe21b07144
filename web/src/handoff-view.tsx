/** The brief that the next session gets, within the budget one gives it. */
import { useSignal } from "@preact/signals";
import { isHeld } from "./api.ts";
import { useAsked } from "./asked.ts";
import { Command, Loaded } from "./parts.tsx";
import { count, shown, shownLine } from "./words.ts";

interface Handoff {
  readonly budget: number;
  readonly tokens: number;
  readonly markdown: string;
  readonly left_out: readonly unknown[];
  /** Left out where no other can be asked for. */
  readonly bounds?: { readonly least: number; readonly most: number };
}

export function HandoffView({ session }: { readonly session: string }) {
  const budget = useSignal<number | undefined>(undefined);
  const shownBudget = useSignal<number | undefined>(undefined);
  const told = useAsked<Handoff>(`/api/sessions/${encodeURIComponent(session)}/handoff`, {
    budget: budget.value,
  });
  return (
    <Loaded of={told} waiting="Writing the brief …">
      {({ markdown, tokens, budget: given, left_out, bounds }) => (
        <>
          <p>What the next session is told, whichever agent it is.</p>
          <div class="slider" hidden={isHeld()}>
            <label for="budget">
              Budget: <b>{shownBudget.value ?? given}</b> tokens
            </label>
            <input
              id="budget"
              type="range"
              min={Math.max(bounds?.least ?? 0, 200)}
              max={Math.min(bounds?.most ?? 8000, 8000)}
              step={100}
              value={shownBudget.value ?? given}
              onInput={(event) => {
                shownBudget.value = Number(event.currentTarget.value);
              }}
              onChange={(event) => {
                budget.value = Number(event.currentTarget.value);
              }}
            />
            <span class="dim" role="status">
              {count(tokens, "token")} used
              {left_out.length > 0 ? `; left out: ${leftOut(left_out)}` : "; nothing is left out"}
            </span>
          </div>
          <Brief markdown={markdown} />
          {isHeld() ? null : <Command text={`refloat handoff ${session.slice(0, 8)} --budget ${given}`} />}
        </>
      )}
    </Loaded>
  );
}

const leftOut = (parts: readonly unknown[]): string =>
  shownLine(parts.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join(", "));

/** As the next session reads it. */
const Brief = ({ markdown }: { readonly markdown: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keys, too.
  <section class="brief" tabIndex={0} aria-label="The brief">
    <pre>{shown(markdown)}</pre>
  </section>
);
