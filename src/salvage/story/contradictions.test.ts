/** T2: what an agent says of its work and the workspace denies; what it only plans or asks is no claim. */
import { expect, it } from "vitest";
import { contradictions } from "./contradictions.ts";

const UNMOVED = { headAtBegin: "a", headNow: "a", hasOwnChanges: true };
const heard = (text: string, evidence = UNMOVED): string[] => {
  const story = { messages: [{ seq: 1, text }], calls: [], operations: [] };
  return contradictions(story, evidence).map(({ claim }) => claim);
};

it.each([
  "I committed everything.",
  "I've committed the fix.",
  "All changes committed.",
  "Committed the fix.",
  "The changes have been committed.",
  "The work has been committed.",
  "Everything is committed to main.",
  "Changes committed and pushed.",
  "The fix is committed.",
  "We've committed both files.",
  "I created a commit with the changes.",
  "Commit created: 1a2b3c4.",
])("takes %s for the claim that it is committed", (said) => {
  expect(heard(said)).toEqual(["committed"]);
});

it.each([
  "I will commit everything.",
  "Nothing has been committed yet, because the hook failed.",
  "Should I have committed this?",
  "Once the work has been committed, deploy it.",
  "Nothing was committed.",
  "The changes are still uncommitted.",
  "I am committed to keeping this small.",
])("takes %s for no claim", (said) => {
  expect(heard(said)).toEqual([]);
});

it("believes it where HEAD moved or nothing of its own is left", () => {
  expect(heard("I committed everything.", { ...UNMOVED, headNow: "b" })).toEqual([]);
  expect(heard("I committed everything.", { ...UNMOVED, hasOwnChanges: false })).toEqual([]);
});

it.each(["Done.", "All done!", "Finished.", "Completed the migration.", "The task is complete."])(
  "takes %s for the claim that all is done, and names the operation that is not",
  (text) => {
    const story = {
      messages: [{ seq: 1, text }],
      calls: [],
      operations: [{ label: "sync", state: "open" }],
    };
    expect(contradictions(story, UNMOVED)).toMatchObject([
      { claim: "done", evidence: "the operation sync never ended" },
    ]);
  },
);
