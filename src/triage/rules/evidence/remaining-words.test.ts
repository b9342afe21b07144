/** Words that say that work remains, and words that only sound so. */
import { describe, expect, it } from "vitest";
import { remainingWords } from "./remaining-words.ts";

describe("what an agent says last", () => {
  it.each([
    "Stopping here for now.",
    "I'll stop here for today and pick it up tomorrow.",
    "I have updated two of the five callers. The other three are left to do.",
    "TODO: remaining callers in src/api",
    "The migration is not finished yet.",
    "The parser isn’t done.",
    "This is still a work in progress.",
    "Half-done: the server speaks the new protocol, the client does not.",
    "Three callers remain.",
    "Remaining steps: the tests and the docs.",
    "Two files still remain to be migrated.",
    "The tests are still missing.",
    "I still need to wire it into the router.",
    "There is more work to be done on the client.",
    "I ran out of context before the last module.",
    "It still needs to be exported.",
    "**Partially implemented**: reading works, writing does not.",
    "The rest has not been migrated.",
    "Done with the first part.",
    "Part 1 of 3 is complete.",
    "I could not finish.",
    "I could not finish: c.js still has to be written.",
    "I have run out of turns; the other services still need the new key.",
    "Incomplete. Half of the endpoints are missing.",
    "WIP, tests fail",
    "[Request interrupted by user for tool use]",
    '{"type":"result","is_error":true,"terminal_reason":"aborted_tools"}',
    "The operation was cancelled.",
  ])("says that something is not done: %s", (text) => {
    expect(remainingWords(`I looked at it.\n\n${text}`)?.kind).toBe("left");
  });

  it.each([
    "Next I will update the callers.",
    "Now let me update the callers:",
    "I'll continue with the second half.",
    "Will continue tomorrow.",
    "Then we'll move the types.",
  ])("says what it will do now: %s", (text) => {
    expect(remainingWords(text)?.kind).toBe("next");
  });

  it.each([
    "Nothing remains to be done.",
    "No TODOs left.",
    "There is nothing left to do.",
    "No callers remain.",
    "All remaining callers were updated.",
    "I finished the remaining steps and everything passes.",
    "The public API remains unchanged.",
    "The old import was not finished properly before; it is now.",
    "The server will continue to accept the old format.",
    "Let me know if anything is missing.",
    "Now let me know what you think.",
    "Next steps: run `npm install` and restart the server.",
    "Done. All tests pass.",
    "0 incomplete, 0 todo",
    "Part 3 of 3 is complete.",
    "To resume this session: pi --session 7",
    "To continue, run `npm start`.",
    "Requests are cancelled after ten seconds.",
    "The work is complete and nothing is missing.",
    "I removed the TODO comments.",
    "I did not do anything to the database.",
    "Is there anything left to do?",
    "If it is not finished in ten seconds, the request is cancelled.",
    "The function returns what is left of the list.",
    "Renamed `left` to `start` and `remaining` to `rest` in all files.",
  ])("says nothing of the kind: %s", (text) => {
    expect(remainingWords(text)).toBeNull();
  });

  it("counts at its end alone: a plan that it went on to carry out is none", () => {
    const done = Array.from({ length: 8 }, (_, at) => `Step ${at} is in place.`).join("\n");
    expect(remainingWords(`Next I will write eight steps.\n${done}`)).toBeNull();
    expect(remainingWords(`${done}\nNext I will write the ninth.`)?.kind).toBe("next");
  });
});
