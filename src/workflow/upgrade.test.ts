import { describe, expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import { around, freshDoc, SAMPLES, withStepFields } from "../../test/workflow/samples.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { rewriteJson } from "./rewrite-json.ts";
import { own } from "./state-doc.ts";
import { stateKeyRank } from "./template.ts";
import { upgradeState } from "./upgrade.ts";
import { validateValue } from "./validate.ts";

const found = (doc: Json): string[] =>
  validateValue("f", doc, around()).findings.map(({ rule, path }) => `${rule} ${path.replace("3_5", "3.5")}`);

/** Every field of the first that the second has not, or has otherwise. */
function lost(before: Json | undefined, after: Json | undefined, path = ""): string[] {
  if (isJsonObject(before) && isJsonObject(after))
    return Object.keys(before).flatMap((key) => lost(own(before, key), own(after, key), `${path}/${key}`));
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [path];
}

const OWN_NAMES = ["/$schema", "/schema_version"];

describe("upgrading", () => {
  it.each(SAMPLES)(
    "$name to 2.0 and to 3.0 adds no finding, and a second time changes nothing",
    ({ text }) => {
      const doc = JSON.parse(text) as JsonObject;
      for (const to of ["2.0", "3.0"] as const) {
        const once = upgradeState(doc, to);
        expect(once.schema_version).toBe(to);
        expect(found(once).filter((one) => !found(doc).includes(one))).toEqual([]);
        expect(upgradeState(once, to)).toEqual(once);
        const written = rewriteJson(text, once, stateKeyRank);
        expect(JSON.parse(written)).toEqual(once);
        expect(rewriteJson(written, upgradeState(once, to), stateKeyRank)).toBe(written);
      }
    },
  );

  it("turns 3.5 into 3_5 and back, for steps and audits, and null or {} locks come back as they were", () => {
    const doc = withStepFields({ ...freshDoc(), lock: {} }, "3.5", { claim: null });
    const third = upgradeState(doc, "3.0");
    expect(Object.keys(third.steps as JsonObject)).toContain("3_5");
    expect(Object.keys(third.review_audit as JsonObject)).toContain("step_3_5");
    expect(found(third)).toEqual([]);
    expect(upgradeState(third, "2.0")).toEqual(doc);
  });

  it("up then down keeps every field, in both directions, unknown fields and odd spellings too", () => {
    fc.assert(
      fc.property(anyState("2.0"), (doc) => {
        const back = upgradeState(upgradeState(doc, "3.0"), "2.0");
        expect(lost(doc, back).filter((path) => !OWN_NAMES.includes(path))).toEqual([]);
      }),
    );
    fc.assert(
      fc.property(anyState("3.0"), (doc) => {
        const back = upgradeState(upgradeState(doc, "2.0"), "3.0");
        expect(lost(doc, back).filter((path) => !OWN_NAMES.includes(path))).toEqual([]);
      }),
    );
    fc.assert(
      fc.property(anyState("1.0"), (doc) => {
        expect(lost(doc, upgradeState(doc, "2.0")).filter((path) => !OWN_NAMES.includes(path))).toEqual([]);
      }),
    );
  });

  it("leaves somebody's own $schema alone and sets ours where none is", () => {
    expect(upgradeState({ ...freshDoc(), $schema: "mine" }, "3.0").$schema).toBe("mine");
    expect(upgradeState(freshDoc(), "3.0").$schema).toBe("urn:refloat:session-state:3.0");
  });
});

/** A document of a version with noise: unknown fields anywhere, claims held and free, both spellings of 3.5. */
function anyState(version: "1.0" | "2.0" | "3.0"): fc.Arbitrary<JsonObject> {
  const noise = fc.dictionary(
    fc
      .string()
      .filter((key) => !["lock", "claim", "steps", "stale_threshold_ms", "review_audit"].includes(key)),
    fc.jsonValue(),
    { maxKeys: 3 },
  );
  const claim = fc.oneof(
    fc.constant(null),
    fc.constant({}),
    fc.record({ owner_id: fc.string(), retry_count: fc.nat() }),
  );
  const keys = fc.constantFrom("3.5", "3_5", "1", "8.5", "x");
  return fc
    .record({
      noise,
      stepNoise: noise,
      lock: claim,
      claims: fc.dictionary(keys, claim),
      also: fc.array(keys),
      audit: fc.array(keys),
    })
    .map(({ noise: top, stepNoise, lock, claims, also, audit }) => {
      const base = freshDoc(version);
      const steps = { ...(base.steps as Record<string, Json>) };
      for (const key of also) steps[key] = { ...stepNoise, name: key };
      if (version === "2.0")
        for (const [key, one] of Object.entries(claims))
          steps[key] = { ...(steps[key] as JsonObject), claim: one as Json };
      const audits = Object.fromEntries(audit.map((key) => [`step_${key}`, {}]));
      return {
        ...(top as JsonObject),
        ...base,
        ...(version === "2.0" ? { lock: lock as Json } : {}),
        review_audit: { ...(base.review_audit as JsonObject), ...audits },
        steps,
      };
    });
}
