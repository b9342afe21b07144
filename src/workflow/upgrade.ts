/**
 * From one version to another, as a chain of pure steps: 1.0 to 2.0, 2.0 to 3.0, and back from 3.0. What a version
 * has no place for is kept in the file under a name of our own, so that the way back brings every field again.
 */
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { DEFAULT_STALE_THRESHOLD_MS, isVersion, schemaId, VERSIONS, type Version } from "./definition.ts";
import { isEqual } from "./rewrite-json.ts";
import { objectOf, own, textsOf, withFields, withoutKeys } from "./state-doc.ts";
import { dotted, underscored } from "./step-list.ts";
import { FREE_LOCK, freeClaim } from "./template.ts";

/** Where a 3.0 file keeps what only 2.0 knows, and a 2.0 file what only 3.0 spelled otherwise. */
export const KEPT = { "2.0": "refloat_from_2_0", "3.0": "refloat_from_3_0" } as const;

/** The document in the version asked for. The same document when it is that already, but for `$schema`. */
export function upgradeState(doc: JsonObject, to: Exclude<Version, "1.0">): JsonObject {
  const from = own(doc, "schema_version");
  const at = isVersion(from) ? from : "1.0";
  const second = at === "1.0" ? oneToTwo(doc) : doc;
  const arrived =
    to === "3.0" && at !== "3.0"
      ? twoToThree(second)
      : to === "2.0" && at === "3.0"
        ? threeToTwo(doc)
        : second;
  return withSchema(to === "3.0" ? withoutClaims(arrived) : arrived, to);
}

/** Somebody's own `$schema` stays. */
function withSchema(doc: JsonObject, version: Version): JsonObject {
  const said = own(doc, "$schema");
  const isOurs = said === undefined || VERSIONS.some((one) => schemaId(one) === said);
  return isOurs && said !== schemaId(version) ? withFields(doc, { $schema: schemaId(version) }) : doc;
}

function oneToTwo(doc: JsonObject): JsonObject {
  return withClaims(withFields(doc, { schema_version: "2.0" }));
}

/** 2.0's fields where they are missing; those that are there stay as they are. */
function withClaims(doc: JsonObject): JsonObject {
  return withFields(doc, {
    stale_threshold_ms: own(doc, "stale_threshold_ms") ?? DEFAULT_STALE_THRESHOLD_MS,
    lock: own(doc, "lock") === undefined ? FREE_LOCK : own(doc, "lock"),
    ...mapSteps(doc, (step) =>
      own(step, "claim") === undefined ? withFields(step, { claim: freeClaim() }) : step,
    ),
  });
}

function twoToThree(doc: JsonObject): JsonObject {
  const restored = takeKept(doc, "3.0");
  const renamed = respelled(restored.doc, underscored, restored.spelled);
  return putKept(withFields(renamed.doc, { schema_version: "3.0" }), "2.0", {
    ...(renamed.left.length > 0 ? { spelled: renamed.left } : {}),
  });
}

/** 3.0 has no claims: what is not simply free is kept aside. */
function withoutClaims(doc: JsonObject): JsonObject {
  const lock = own(doc, "lock");
  const threshold = own(doc, "stale_threshold_ms");
  const claims = Object.entries(objectOf(own(doc, "steps"))).flatMap(([key, step]) => {
    const claim = own(step, "claim");
    return claim === undefined || isEqual(claim, freeClaim()) ? [] : [[key, claim] as const];
  });
  const aside: JsonObject = {
    ...(threshold === undefined || threshold === DEFAULT_STALE_THRESHOLD_MS
      ? {}
      : { stale_threshold_ms: threshold }),
    ...(lock === undefined || isEqual(lock, FREE_LOCK) ? {} : { lock }),
    ...(claims.length === 0 ? {} : { claims: Object.fromEntries(claims) }),
  };
  const bare = withFields(
    withoutKeys(doc, ["lock", "stale_threshold_ms"]),
    mapSteps(doc, (step) => withoutKeys(step, ["claim"])),
  );
  return putKept(bare, "2.0", aside);
}

function threeToTwo(doc: JsonObject): JsonObject {
  const { doc: bare, kept, spelled } = takeKept(doc, "2.0");
  const claims = objectOf(kept.claims);
  const whole = withFields(bare, {
    ...(kept.stale_threshold_ms === undefined ? {} : { stale_threshold_ms: kept.stale_threshold_ms }),
    ...(kept.lock === undefined ? {} : { lock: kept.lock }),
    ...mapSteps(bare, (step, key) =>
      own(claims, key) === undefined ? step : withFields(step, { claim: own(claims, key) }),
    ),
  });
  const renamed = respelled(whole, dotted, spelled);
  return withClaims(
    putKept(withFields(renamed.doc, { schema_version: "2.0" }), "3.0", {
      ...(renamed.left.length > 0 ? { spelled: renamed.left } : {}),
    }),
  );
}

function mapSteps(doc: JsonObject, change: (step: JsonObject, key: string) => JsonObject): JsonObject {
  const steps = own(doc, "steps");
  if (!isJsonObject(steps)) return {};
  const entries = Object.entries(steps).map(([key, step]) => [
    key,
    isJsonObject(step) ? change(step, key) : step,
  ]);
  return { steps: Object.fromEntries(entries) };
}

/**
 * The names of steps and of their audits in the other spelling. Names that had the new spelling already, or cannot
 * change because both are there, are `left`; `spelled` are those that once were left and go back untouched.
 */
function respelled(
  doc: JsonObject,
  spell: (key: string) => string,
  spelled: readonly string[],
): { doc: JsonObject; left: string[] } {
  const left: string[] = [];
  const rename = (value: Json | undefined, root: string, pattern: RegExp): JsonObject => {
    if (!isJsonObject(value)) return {};
    const entries = Object.entries(value).map(([key, inner]) => {
      if (!pattern.test(key)) return [key, inner];
      const other = key.replace(/\d.*$/, spell);
      const place = `${root}/${key}`;
      const mayChange = other !== key && !Object.hasOwn(value, other) && !spelled.includes(place);
      if (!mayChange && !spelled.includes(place)) left.push(place);
      return [mayChange ? other : key, inner];
    });
    return { [root]: Object.fromEntries(entries) };
  };
  const next = withFields(doc, {
    ...rename(own(doc, "steps"), "steps", /^\d+[._]\d+$/),
    ...rename(own(doc, "review_audit"), "review_audit", /^step_\d+[._]\d+$/),
  });
  return { doc: next, left };
}

function putKept(doc: JsonObject, from: "2.0" | "3.0", aside: JsonObject): JsonObject {
  if (Object.keys(aside).length === 0) return doc;
  const name = KEPT[from];
  return withFields(doc, { [name]: withFields(objectOf(own(doc, name)), aside) });
}

function takeKept(
  doc: JsonObject,
  from: "2.0" | "3.0",
): { doc: JsonObject; kept: JsonObject; spelled: readonly string[] } {
  const kept = objectOf(own(doc, KEPT[from]));
  return { doc: withoutKeys(doc, [KEPT[from]]), kept, spelled: textsOf(kept.spelled) };
}
