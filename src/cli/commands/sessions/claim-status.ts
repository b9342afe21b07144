/** `claim status`: who holds what, from whom they took it, and how far a claim in this store reaches. */

import { type ClaimView, claimFacts, stepClaimFacts } from "../../../app/sessions/claim-facts.ts";
import { bodyAs } from "../../../model/record.ts";
import { stepOfSession } from "../../../model/workflow-ids.ts";
import type { SessionSummary } from "../../../session/describe.ts";
import { lastAttempt } from "../../../session/last-attempt.ts";
import type { SessionRow } from "../../../store/contract/driver.ts";
import type { Store } from "../../../store/store.ts";
import { wrapWhole } from "../../../text/wrap-whole.ts";
import { isOfFile } from "../../../workflow/claim-owner.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, textArgument } from "../../grammar/options.ts";
import { scopeOf } from "../../screen/claim-reach.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { shortId } from "../../screen/short-id.ts";
import { tableLines } from "../../screen/table.ts";
import { agoText, oneLine, ordinal } from "../../screen/words.ts";
import { livenessText, ownerText } from "./claim-words.ts";
import { claimMeant, type FoundClaim, stepClaimsHere } from "./claims-here.ts";

type ToldClaim = ClaimView &
  Pick<SessionSummary, "last_attempt"> & {
    /** Of a step: its state file. */
    readonly file: string | null;
    readonly taken_from: TakenFrom | null;
    /** Of one that only the file knows: whose claim of this store it ended. */
    readonly instead_of: string | null;
  };

interface TakenFrom {
  readonly owner: string;
  readonly why: string;
  readonly at: string;
}

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const typed = textArgument(input, 0);
  const store = (await context.findStore())?.raw ?? null;
  const rows = (await store?.sessions()) ?? [];
  const found = typed === null ? await everyClaim(context, rows) : [await claimMeant(context, typed)];
  const scope = scopeOf(store?.driver.kind ?? "sqlite");
  const nowMs = context.clock.nowMs();
  const claims: ToldClaim[] = [];
  for (const one of found) claims.push(await toldOf(store, one));
  // An id on the screen means this one in the whole store, not only among those beside it (T6).
  const ids = [...rows.map(({ id }): string => id), ...claims.map(({ session }) => session)];
  await context.out.result({
    command: "claim-status",
    json: { scope, claims },
    text: () => [
      ...claimLines(context, claims, nowMs, ids),
      ...takenLines(claims).flatMap((line) => wrapWhole(line, context.out.columns)),
      "",
      context.out.style.dim(`Scope: ${scopeNote(scope)}`),
    ],
  });
  return EXIT.done;
}

/** Every claim with an owner, dead ones too: they tell where a session was left; those of state files as they are now. */
async function everyClaim(context: Context, rows: readonly SessionRow[]): Promise<readonly FoundClaim[]> {
  const others = rows
    .filter(({ id, claim }) => claim.owner !== null && stepOfSession(id) === null)
    .map((row): FoundClaim => ({ row, step: null }));
  const steps = (await stepClaimsHere(context)).map((step): FoundClaim => ({ row: step.row, step }));
  const atOf = ({ row, step }: FoundClaim): number =>
    step?.sinceMs ?? step?.heartbeatMs ?? row?.claim.acquiredAtMs ?? 0;
  return [...others, ...steps].sort((a, b) => atOf(b) - atOf(a));
}

async function toldOf(store: Store | null, { row, step }: FoundClaim): Promise<ToldClaim> {
  const facts = step ? stepClaimFacts(step) : await claimFacts(store as Store, row as SessionRow);
  const isOwn = step === null || !isOfFile(step.owner);
  return {
    ...facts,
    last_attempt: store && row ? await lastAttempt(store, row) : facts.attempt,
    file: step?.file ?? null,
    taken_from: store && row && isOwn ? await takenFrom(store, row) : null,
    instead_of: step?.instead ?? null,
  };
}

/** From whom its owner took it, where they had not given it back (K4). */
async function takenFrom(store: Store, { id, claim }: SessionRow): Promise<TakenFrom | null> {
  if (claim.owner === null) return null;
  const query = { session: id, kinds: ["claim.taken" as const], order: "backward" as const, limit: 2 };
  const [record, before] = await store.records(query);
  const body = record ? bodyAs(record, "claim.taken") : null;
  if (!record || !body?.from) return null;
  // Under the token it had in the file it only moved into this store: nobody was gone.
  const isMoved = before && body.token != null && bodyAs(before, "claim.taken")?.token === body.token;
  if (isMoved && isOfFile(body.from)) return null;
  return { owner: body.from.instance, why: body.why, at: new Date(record.atMs).toISOString() };
}

function claimLines(
  context: Context,
  claims: readonly ToldClaim[],
  nowMs: number,
  ids: readonly string[],
): string[] {
  if (claims.length === 0) return ["Nobody holds a claim."];
  const { style, columns } = context.out;
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
      claim.last_attempt === 0 ? "-" : ordinal(claim.last_attempt),
      claim.owner ? ownerText(claim.owner) : "-",
      livenessText(claim, nowMs),
      claim.since === null ? "-" : agoText(Date.parse(claim.since), nowMs),
    ]),
    columns,
    style.dim,
  );
}

/** What a step's owner and whoever had it before should both know. */
function takenLines(claims: readonly ToldClaim[]): string[] {
  return claims.flatMap(({ name, owner, file, taken_from, instead_of }) => {
    if (file === null || !owner) return [];
    const [what, who] = [oneLine(name ?? ""), ownerText(owner)];
    const taken = taken_from
      ? [`${what}: ${who} took it from ${oneLine(taken_from.owner)}, who was gone.`]
      : [];
    const ended = instead_of
      ? [`${what}: ${who} has it by the file's word; what ${oneLine(instead_of)} was given here is over.`]
      : [];
    return [...taken, ...ended];
  });
}

function scopeNote(scope: string): string {
  return scope === "this machine"
    ? "this machine. An agent on another machine does not see these claims."
    : `${scope}.`;
}
