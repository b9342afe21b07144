/** `claim status`: who holds what, from whom they took it, and how far a claim in this store reaches. */

import { claimsHere, type ListedClaim } from "../../../app/sessions/claims.ts";
import { wrapWhole } from "../../../text/wrap-whole.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, textArgument } from "../../grammar/options.ts";
import { scopeOf } from "../../screen/claim-reach.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { shortId } from "../../screen/short-id.ts";
import { tableLines } from "../../screen/table.ts";
import { agoText, oneLine, ordinal } from "../../screen/words.ts";
import { livenessText, ownerText } from "./claim-words.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const { kind, claims, ids } = await claimsHere(context, textArgument(input, 0));
  const scope = scopeOf(kind);
  const nowMs = context.clock.nowMs();
  await context.out.result({
    command: "claim-status",
    json: { scope, claims: claims.map(({ heldBy: _heldBy, ...claim }) => claim) },
    text: () => [
      ...claimLines(context, claims, nowMs, ids),
      ...takenLines(claims).flatMap((line) => wrapWhole(line, context.out.columns)),
      "",
      context.out.style.dim(`Scope: ${scopeNote(scope)}`),
    ],
  });
  return EXIT.done;
}

function claimLines(
  context: Context,
  claims: readonly ListedClaim[],
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
      claim.owner ? ownerText(claim) : "-",
      livenessText(claim, nowMs),
      claim.since === null ? "-" : agoText(Date.parse(claim.since), nowMs),
    ]),
    columns,
    style.dim,
  );
}

/** What a step's owner and whoever had it before should both know. */
function takenLines(claims: readonly ListedClaim[]): string[] {
  return claims.flatMap((claim) => {
    const { name, owner, file, taken_from, instead_of } = claim;
    if (file === null || !owner) return [];
    const [what, who] = [oneLine(name ?? ""), ownerText(claim)];
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
