/** Processes that a dead session left, on a view: what refloat leaves alone with its reason, and what to type about it (S2). */
import type { Manifest } from "../../src/model/manifest.ts";
import { leftoverRemedyWords } from "../../src/text/remedy-words.ts";
import { Command } from "./parts.tsx";
import { shownLine } from "./words.ts";

export const Leftovers = ({ of }: { readonly of: Manifest["leftovers"] }) => (
  <ul class="plain">
    {of.map(({ pid, command, kept, remedy }) => (
      <li key={pid}>
        <code>
          {pid} {shownLine(command)}
        </code>
        {kept ? <span class="why"> refloat leaves it running: {shownLine(kept)}.</span> : null}
        {kept && remedy ? (
          <p>
            {leftoverRemedyWords(remedy)}: <Command text={remedy} />
          </p>
        ) : null}
      </li>
    ))}
  </ul>
);
