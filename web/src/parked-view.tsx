/** What was taken out of the tree and is kept under a name, and the way back. */
import type { ToldParked } from "../../src/app/acts/told-parked.ts";
import { planUnpark } from "./acting.ts";
import { useAsked } from "./asked.ts";
import { Loaded, VerdictBadge } from "./parts.tsx";
import { PlanDialog, Receipt } from "./plan-dialog.tsx";
import { hrefOf } from "./route.ts";
import { ago, count, shown, shownLine, VERDICT_ORDER } from "./words.ts";

interface Parked {
  readonly workspace: string;
  readonly parked: readonly ToldParked[];
}

export function ParkedView() {
  const told = useAsked<Parked>("/api/parked");
  return (
    <>
      <h1>Parked work</h1>
      <p class="dim">
        Taken out of the tree and kept in the store, byte for byte, until somebody brings it back.
      </p>
      <Receipt session={null} />
      <Loaded of={told} waiting="Looking at what is parked …">
        {({ parked }) =>
          parked.length === 0 ? (
            <section class="hero">
              <p class="hero-word">Nothing is parked</p>
              <p>On a session's board, “Park” puts a group here: it is out of your way, and not lost.</p>
            </section>
          ) : (
            <ul class="cards">
              {parked.map((one) => (
                <ParkedCard key={`${one.plan} ${one.name}`} of={one} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <PlanDialog />
    </>
  );
}

const MAX_PATHS = 6;

function ParkedCard({ of }: { readonly of: ToldParked }) {
  const verdict = VERDICT_ORDER.find((one) => one === of.verdict);
  const more = of.paths.length - MAX_PATHS;
  return (
    <li class="card">
      <h2>
        {shownLine(of.note ?? of.paths[0]?.path ?? of.name)}{" "}
        {verdict ? <VerdictBadge verdict={verdict} /> : null}
      </h2>
      <p class="dim">
        {count(of.paths.length, "file")}, parked {ago(of.at)} as <code>{shownLine(of.name)}</code>
        {of.from === undefined ? null : (
          <>
            {" "}
            in <span class="path">{shown(of.from)}</span>, a tree that is gone; it comes back into this one
          </>
        )}
      </p>
      <ul class="paths">
        {of.paths.slice(0, MAX_PATHS).map(({ path }) => (
          <li key={path}>
            <span class="path">{shown(path)}</span>
          </li>
        ))}
        {more > 0 ? <li class="dim">and {more} more</li> : null}
      </ul>
      {of.why === null ? null : <p class="why">{shownLine(of.why)}</p>}
      <p class="actions">
        <button type="button" class="primary" onClick={() => void planUnpark(of.name)}>
          Bring it back
        </button>
        {of.session === null ? null : (
          <a class="button" href={hrefOf({ kind: "session", session: of.session, tab: "life" })}>
            Its session
          </a>
        )}
      </p>
    </li>
  );
}
