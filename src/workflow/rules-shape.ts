/** Rules about what is in the document beside the steps' course: optional parts, versions, the decision log. */
import { nearestWord } from "../text/nearest-word.ts";
import { hasTime } from "./decision-log.ts";
import { definitionFor, HOLDER_FIELDS, STEP_FIELDS, VERSIONS } from "./definition.ts";
import { ACCEPT, type FoundBreach, findEach, NOTHING_FOUND, type StateRule, type Subject } from "./rule.ts";
import { listOf, objectOf, own } from "./state-doc.ts";
import { keysOf, stepNamed, type WorkflowShape } from "./step-list.ts";
import { KEPT } from "./upgrade.ts";

export const stepMissingRule = {
  id: "step-missing",
  severity: "error",
  about: "A step of the list is not in the file under any of its spellings.",
  command: "refloat state repair {file}",
  check: ({ steps }) =>
    findEach(steps, ({ isThere, spec }) => {
      if (isThere || spec.isOptional || keysOf(spec).length === 1) return null;
      return { place: ["steps", spec.id], message: `Step ${spec.id} (${spec.name}) is missing.` };
    }),
} as const satisfies StateRule;

const auditKeysOf = new WeakMap<WorkflowShape, ReadonlySet<string>>();

function auditKeys(shape: WorkflowShape): ReadonlySet<string> {
  const made =
    auditKeysOf.get(shape) ??
    new Set(shape.steps.flatMap((spec) => keysOf(spec).map((key) => `step_${key}`)));
  auditKeysOf.set(shape, made);
  return made;
}

export const auditKeyRule = {
  id: "audit-key",
  severity: "warning",
  about: "`review_audit` has a key that names no step of the list.",
  command: ACCEPT,
  check: ({ doc, shape }) => {
    const known = auditKeys(shape);
    return findEach(Object.keys(objectOf(own(doc, "review_audit"))), (key) =>
      known.has(key)
        ? null
        : { place: ["review_audit", key], message: `review_audit has ${key}, which is no step.` },
    );
  },
} as const satisfies StateRule;

export const oldVersionRule = {
  id: "old-version",
  severity: "warning",
  about: "The file is 1.0, which has no `lock` and no claims.",
  command: "refloat state upgrade {file}",
  check: ({ version }) => {
    if (version !== "1.0") return NOTHING_FOUND;
    const message =
      "The file is 1.0, without lock and claims. It becomes 2.0 when `step` or `decide` uses it.";
    return [{ place: ["schema_version"], message }];
  },
} as const satisfies StateRule;

export const noLockRule = {
  id: "no-lock",
  severity: "warning",
  about: "A 2.0 file has no `lock`.",
  command: "refloat state repair {file}",
  check: ({ doc, version }) =>
    version === "2.0" && own(doc, "lock") === undefined
      ? [{ place: [], message: "The file says 2.0 but has no lock." }]
      : NOTHING_FOUND,
} as const satisfies StateRule;

export const oldVersionFieldsRule = {
  id: "old-fields",
  severity: "warning",
  about: "A 3.0 file still has `lock`, `stale_threshold_ms` or a step's `claim`, which 3.0 does not know.",
  command: "refloat state upgrade --to 3.0 {file}",
  check: ({ doc, version, steps }) => {
    if (version !== "3.0") return NOTHING_FOUND;
    const top = ["lock", "stale_threshold_ms"]
      .filter((key) => own(doc, key) !== undefined)
      .map((key) => [key]);
    const claims = steps.filter(({ body }) => own(body, "claim") !== undefined);
    return [...top, ...claims.map(({ key }) => ["steps", key, "claim"])].map((place) => ({
      place,
      message: `3.0 has no ${place.at(-1)}.`,
    }));
  },
} as const satisfies StateRule;

export const decisionTimeRule = {
  id: "decision-time",
  severity: "warning",
  about: "A decision has no time, in a shape that has one.",
  command: ACCEPT,
  check: ({ doc, decisions }) =>
    findEach(decisions, (decision, i) =>
      decision && decision.timestamp === null && hasTime(listOf(own(doc, "decision_log"))[i])
        ? { place: ["decision_log", i], message: "The decision has no timestamp." }
        : null,
    ),
} as const satisfies StateRule;

export const decisionIdRule = {
  id: "decision-id",
  severity: "warning",
  about: "Two decisions have the same id.",
  command: ACCEPT,
  check: ({ decisions }) => {
    const seen = new Set<string>();
    return findEach(decisions, (decision, i) => {
      const id = decision?.id ?? null;
      if (id === null || decision?.by_hand) return null;
      if (seen.has(id)) return { place: ["decision_log", i, "id"], message: `The id ${id} is used twice.` };
      seen.add(id);
      return null;
    });
  },
} as const satisfies StateRule;

export const decisionStepRule = {
  id: "decision-step",
  severity: "warning",
  about: "A decision names a step that is not on the list.",
  command: ACCEPT,
  check: ({ decisions, shape }) =>
    findEach(decisions, (decision, i) =>
      decision && decision.step !== null && !stepNamed(shape, decision.step)
        ? { place: ["decision_log", i, "step"], message: `There is no step ${decision.step}.` }
        : null,
    ),
} as const satisfies StateRule;

/** The rule about fields that no version has. They are somebody's and stay (D5); a name mistyped by hand shows here. */
interface Names {
  readonly top: ReadonlySet<string>;
  readonly steps: ReadonlySet<string>;
}

const namesOf = new WeakMap<WorkflowShape, Names>();

/** Of all versions together: what only an older one has is another rule's to say. Made once per step list. */
function namesFor(shape: WorkflowShape): Names {
  const known = namesOf.get(shape);
  if (known) return known;
  const definition = definitionFor(shape);
  const made = {
    top: new Set([
      ...VERSIONS.flatMap((version) => Object.keys(definition[version].shape)),
      ...Object.values(KEPT),
    ]),
    steps: new Set(shape.steps.flatMap(keysOf)),
  };
  namesOf.set(shape, made);
  return made;
}

/** Names that somebody chose for fields of his own, so that no validator stumbles over them. */
const isOwn = (name: string): boolean => /^(?:[$_]|x[-_])/.test(name);

export const unknownFieldRule = {
  id: "unknown-field",
  severity: "warning",
  about:
    "A field has a name that no version knows: mistyped, or somebody's own (those may begin with `x-`, `_` or `$`).",
  command: ACCEPT,
  check: ({ doc, shape, steps, version }) => {
    const found: FoundBreach[] = [];
    const look = (object: unknown, known: ReadonlySet<string>, place: readonly string[]): void => {
      for (const name of Object.keys(objectOf(object))) {
        if (known.has(name) || isOwn(name)) continue;
        found.push({
          place: [...place, name],
          message: messageFor([...place, name].join("."), name, known, version),
        });
      }
    };
    const names = namesFor(shape);
    look(doc, names.top, []);
    look(own(doc, "lock"), HOLDER_FIELDS, ["lock"]);
    look(own(doc, "steps"), names.steps, ["steps"]);
    for (const { key, body } of steps) {
      look(body, STEP_FIELDS, ["steps", key]);
      look(own(body, "claim"), HOLDER_FIELDS, ["steps", key, "claim"]);
    }
    return found;
  },
} as const satisfies StateRule;

function messageFor(
  path: string,
  name: string,
  known: ReadonlySet<string>,
  version: Subject["version"],
): string {
  const near = nearestWord(name, [...known]);
  return `${path} is no field of ${version}; it is kept as it is.${near === null ? "" : ` Did you mean ${near}?`}`;
}
