/** The work trees of the repository: which of them hold something, and which may go. */
import type { WorktreeVerdict } from "../../src/salvage/worktrees/worktrees.ts";
import { planRemoval } from "./acting.ts";
import { useAsked } from "./asked.ts";
import { Loaded } from "./parts.tsx";
import { PlanDialog, Receipt } from "./plan-dialog.tsx";
import { count, shown, shownLine } from "./words.ts";

interface Worktrees {
  readonly worktrees: readonly WorktreeVerdict[];
}

export function WorktreesView() {
  const told = useAsked<Worktrees>("/api/worktrees");
  return (
    <>
      <h1>Work trees</h1>
      <p class="dim">
        Every folder this repository is checked out in. One may go only where it is proved that nothing in it
        would be lost.
      </p>
      <Receipt session={null} />
      <Loaded of={told} waiting="Looking at each work tree …">
        {({ worktrees }) => <Trees trees={worktrees} />}
      </Loaded>
      <PlanDialog />
    </>
  );
}

function Trees({ trees }: { readonly trees: readonly WorktreeVerdict[] }) {
  const going = trees.filter(({ verdict }) => verdict === "removable");
  return (
    <>
      {going.length > 1 ? (
        <p>
          <button type="button" onClick={() => void planRemoval(going.map(({ path }) => path))}>
            Remove all {going.length} that may go
          </button>
        </p>
      ) : null}
      {going.length === 0 ? <p>None may go without losing something. Each says why.</p> : null}
      <ul class="cards" aria-label={count(trees.length, "work tree")}>
        {trees.map((one) => (
          <Tree key={one.path} of={one} />
        ))}
      </ul>
    </>
  );
}

const Tree = ({ of: { path, branch, head, verdict, reasons } }: { readonly of: WorktreeVerdict }) => (
  <li class="card">
    <h2>
      <span class="path">{shown(path)}</span>{" "}
      <span class={`badge ${verdict === "removable" ? "verdict-safe" : ""}`}>
        {verdict === "removable" ? "may go" : "keep"}
      </span>
    </h2>
    <p class="dim">
      {branch === null ? `at ${head?.slice(0, 12) ?? "no commit"}, on no branch` : `on ${shownLine(branch)}`}
    </p>
    <ul class="reasons">
      {reasons.map((one) => (
        <li key={one}>{shownLine(one)}</li>
      ))}
    </ul>
    {verdict === "removable" ? (
      <p class="actions">
        <button type="button" onClick={() => void planRemoval([path])}>
          Remove it
        </button>
      </p>
    ) : null}
  </li>
);
