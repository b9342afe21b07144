/** The rule about fields that no version has. They are somebody's and stay (D5); a name mistyped by hand shows here. */
import { nearestWord } from "../text/nearest-word.ts";
import { definitionFor, HOLDER_FIELDS, STEP_FIELDS, VERSIONS } from "./definition.ts";
import { ACCEPT, type FoundBreach, type StateRule } from "./rule.ts";
import { objectOf, own } from "./state-doc.ts";
import { keysOf, type WorkflowShape } from "./step-list.ts";
import type { Subject } from "./subject.ts";
import { KEPT } from "./upgrade.ts";

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
