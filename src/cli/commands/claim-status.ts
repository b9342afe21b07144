/** `claim status`: who holds what, and how far a claim in this store reaches. */
import { livenessOf } from "../../platform/liveness.ts";
import type { SessionSummary } from "../../session/describe.ts";
import { lastAttempt } from "../../session/last-attempt.ts";
import type { SessionRow } from "../../store/driver.ts";
import { livenessOfClaimOwner } from "../../workflow/claim-owner.ts";
import { type ClaimFacts, claimFacts, livenessText, ownerText } from "../claim-facts.ts";
import type { Ending } from "../command-spec.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import { type CommandInput, textArgument } from "../options.ts";
import { resolveSession } from "../resolve-session.ts";
import { scopeOf } from "../scope.ts";
import { shortId } from "../short-id.ts";
import { tableLines } from "../table.ts";
import { agoText, oneLine, ordinal } from "../words.ts";

type ToldClaim = ClaimFacts & Pick<SessionSummary, "last_attempt">;

export async function run(context: Context, input: CommandInput): Promise<Ending> {
  const typed = textArgument(input, 0);
  const rows = typed === null ? await heldRows(context) : [(await resolveSession(context, typed)).row];
  const store = await context.findStore();
  const scope = scopeOf(store?.raw.driver.kind ?? "sqlite");
  const nowMs = context.clock.nowMs();
  const claims: ToldClaim[] = [];
  for (const row of rows) {
    const { owner } = row.claim;
    const proved = owner && store ? await livenessOfClaimOwner(store.raw, owner) : null;
    claims.push({
      ...claimFacts(row, nowMs, (one) => (one === owner && proved ? proved : livenessOf(one))),
      last_attempt: store ? await lastAttempt(store.raw, row) : row.claim.attempt,
    });
  }
  await context.out.result({
    command: "claim-status",
    json: { scope, claims },
    text: () => [
      ...claimLines(context, claims, nowMs),
      "",
      context.out.style.dim(`Scope: ${scopeNote(scope)}`),
    ],
  });
  return EXIT.done;
}

/** Every claim with an owner, dead ones too: they tell where a session was left. */
async function heldRows(context: Context): Promise<SessionRow[]> {
  const store = await context.findStore();
  const rows = (await store?.raw.sessions()) ?? [];
  return rows
    .filter(({ claim }) => claim.owner !== null)
    .sort((a, b) => (b.claim.acquiredAtMs ?? 0) - (a.claim.acquiredAtMs ?? 0));
}

function claimLines(context: Context, claims: readonly ToldClaim[], nowMs: number): string[] {
  if (claims.length === 0) return ["Nobody holds a claim."];
  const { style, columns } = context.out;
  const ids = claims.map(({ session }) => session);
  const paint = (text: string): string => (text.startsWith("alive") ? style.green(text) : style.yellow(text));
  return tableLines(
    [
      { title: "SESSION", paint: style.bold },
      { title: "NAME", shrinkTo: 6 },
      { title: "TRY" },
      { title: "HELD BY", shrinkTo: 12 },
      { title: "OWNER IS", shrinkTo: 12, paint },
      { title: "SINCE" },
    ],
    claims.map((claim) => [
      shortId(claim.session, ids),
      oneLine(claim.name ?? "-"),
      ordinal(claim.last_attempt),
      claim.owner ? ownerText(claim.owner) : "-",
      livenessText(claim, nowMs),
      claim.since === null ? "-" : agoText(Date.parse(claim.since), nowMs),
    ]),
    columns,
    style.dim,
  );
}

function scopeNote(scope: string): string {
  return scope === "this machine"
    ? "this machine. An agent on another machine does not see these claims."
    : `${scope}.`;
}
