/** `prove`: reads everything back that captures, plans and parked groups of this workspace name, and hashes it again. Exit 5: damaged. */
import type { Proof, ProofLoss } from "../../../acts/plans/prove.ts";
import { proveHere } from "../../../app/acts/prove.ts";
import { pathJson } from "../../../model/path-name.ts";
import { shownPath } from "../../../text/shown-path.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { watched } from "../../context/watched.ts";
import type { CommandInput } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { shortId } from "../../screen/short-id.ts";
import { bytesText, count, oneLine } from "../../screen/words.ts";

/** Losses on a screen; the JSON has them all. */
const MAX_SHOWN = 40;

export async function run(context: Context, _input: CommandInput): Promise<CommandEnd> {
  const { root, proof, isWhole } = await proveHere(context, watched(context));
  await context.out.result({
    command: "prove",
    json: { workspace: root, whole: isWhole, ...proof, lost: proof.lost.map(lostJson) },
    text: () => lines(context, proof),
  });
  return isWhole ? EXIT.done : EXIT.damaged;
}

const lostJson = ({ path, ...rest }: ProofLoss): Record<string, unknown> => ({
  ...rest,
  ...(path === null ? { path: null } : pathJson(path)),
});

function lines(
  context: Context,
  { captures, plans, contents, bytes, forgotten, accepted, lost, last, parked }: Proof,
): string[] {
  const { green, red } = context.out.style;
  const counted = `${count(captures, "capture")} and ${count(plans, "plan")} name ${count(contents, "content")}`;
  const shown = lost
    .slice(0, MAX_SHOWN)
    .map(
      ({ path, named_by, why }) =>
        `  ${oneLine(path === null ? named_by : shownPath(path))} (${shortId(named_by)}): ${why}`,
    );
  return [
    lost.length === 0
      ? `${green("Whole.")} ${counted}, ${bytesText(bytes)}, each read and hashed.`
      : `${red(`${count(lost.length, "loss", "losses")}.`)} ${counted}:`,
    ...shown,
    ...(lost.length > MAX_SHOWN ? [`  and ${count(lost.length - MAX_SHOWN, "more", "more")}`] : []),
    ...parkedLines(context, parked),
    ...(forgotten > 0 ? [`${count(forgotten, "content was", "contents were")} erased on order.`] : []),
    ...(accepted > 0
      ? [`${count(accepted, "stretch", "stretches")} of records are lost, and you accepted that.`]
      : []),
    ...(lost.some(({ what }) => what === "record")
      ? [
          context.out.typed(
            "What is lost cannot be had again. To go on without it: refloat store check --accept-loss",
          ),
        ]
      : []),
    ...(last
      ? [`The last capture, ${shortId(last.capture)}, names ${count(last.paths, "changed path")}.`]
      : ["Nothing was captured here yet."]),
  ];
}

function parkedLines(context: Context, parked: Proof["parked"]): string[] {
  if (parked.length === 0) return [];
  const broken = parked.filter(({ whole }) => !whole);
  const { red } = context.out.style;
  return broken.length === 0
    ? [`${count(parked.length, "parked group is", "parked groups are")} whole.`]
    : broken.map(({ name }) => red(`Parked ${oneLine(name)} cannot be brought back whole.`));
}
