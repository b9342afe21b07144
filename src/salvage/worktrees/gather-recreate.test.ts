import { describe, expect, it } from "vitest";
import { decideRecreate, type RecreateFacts } from "./gather-recreate.ts";

const HEAD = "a".repeat(40);
const FACTS: RecreateFacts = {
  session: "s1",
  path: "/trees/side",
  place: "free",
  capture: "c1",
  branch: "side",
  head: HEAD,
  tip: HEAD,
  elsewhere: null,
  kept: null,
};

const outcome = (more: Partial<RecreateFacts>): string => {
  const decision = decideRecreate({ ...FACTS, ...more });
  switch (decision.kind) {
    case "nothing":
      return "nothing";
    case "go":
      return decision.how;
    case "refused":
      return decision.error.code;
    default:
      return decision satisfies never;
  }
};

describe("a removed work tree", () => {
  const other = "b".repeat(40);
  const cases: readonly (readonly [string, Partial<RecreateFacts>, string])[] = [
    ["is registered anew where git forgot it", {}, "register"],
    ["has its branch made again where that is gone", { tip: null }, "register"],
    ["is brought back with what git kept of it", { kept: { branch: "side", head: HEAD } }, "keep"],
    ["with a kept HEAD on a deleted branch", { tip: null, kept: { branch: "side", head: null } }, "keep"],
    [
      "detached, kept at the same commit",
      { branch: null, tip: null, kept: { branch: null, head: HEAD } },
      "keep",
    ],
    ["begun by an earlier start", { place: "begun", kept: { branch: "side", head: HEAD } }, "keep"],
    ["that is there needs nothing", { place: "there" }, "nothing"],
    ["is refused where something else is", { place: "taken" }, "E_RECREATE_TAKEN"],
    ["is refused while its branch is checked out elsewhere", { elsewhere: "/x" }, "E_RECREATE_ELSEWHERE"],
    ["is refused when its branch moved", { tip: other }, "E_RECREATE_MOVED"],
    [
      "is refused when its kept HEAD is on another branch",
      { kept: { branch: "x", head: HEAD } },
      "E_RECREATE_MOVED",
    ],
    [
      "detached, kept at another commit, is refused",
      { branch: null, tip: null, kept: { branch: null, head: other } },
      "E_RECREATE_MOVED",
    ],
  ];
  for (const [title, more, expected] of cases) it(title, () => expect(outcome(more)).toBe(expected));
});
