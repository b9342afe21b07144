import { describe, expect, it } from "vitest";
import { decideResume, differences, type ResumeFacts } from "./decide-resume.ts";

const CUT_OFF: ResumeFacts = { state: "interrupted", cause: "crash", isNamed: false, continuedBy: null };

describe("going on with a session", () => {
  it("is for one that was cut off; never for a live or suspended one, or one whose work was taken up (L4)", () => {
    expect(decideResume(CUT_OFF)).toBe("go");
    expect(decideResume({ ...CUT_OFF, state: "live", isNamed: true })).toBe("live");
    expect(decideResume({ ...CUT_OFF, state: "suspended", isNamed: true })).toBe("suspended");
    expect(decideResume({ ...CUT_OFF, continuedBy: "next", isNamed: true })).toBe("continued");
  });

  it("is not for one that ended by its own word; asked to stop, or idle, only by name (L4, L5)", () => {
    const finished = { ...CUT_OFF, state: "finished", cause: "clean" } as const;
    expect(decideResume(finished)).toBe("finished");
    expect(decideResume({ ...finished, isNamed: true })).toBe("finished");
    const stopped = { ...CUT_OFF, state: "finished", cause: "signal" } as const;
    expect(decideResume(stopped)).toBe("finished");
    expect(decideResume({ ...stopped, isNamed: true })).toBe("go");
    expect(decideResume({ ...CUT_OFF, state: "idle" })).toBe("finished");
    expect(decideResume({ ...CUT_OFF, state: "idle", isNamed: true })).toBe("go");
  });

  it("shows what is different; another branch or another history is grave, a HEAD that moved is not", () => {
    const was = { branch: "main", head: "a1", rootCommit: "r" };
    expect(differences(was, was)).toEqual([]);
    expect(differences(was, { ...was, head: "b2" })).toEqual([
      { what: "head", was: "a1", is: "b2", isGrave: false },
    ]);
    expect(differences(was, { ...was, branch: null })).toMatchObject([
      { what: "branch", is: null, isGrave: true },
    ]);
    expect(differences(was, { ...was, rootCommit: "x" })).toMatchObject([{ what: "history", isGrave: true }]);
    const renamed = { ...was, branch: "salvaged" };
    expect(differences(was, renamed, true), "another machine's name for it").toMatchObject([
      { what: "branch", isGrave: false },
    ]);
    expect(differences(was, { ...renamed, head: "b2" }, true)[0]).toMatchObject({
      what: "branch",
      isGrave: true,
    });
    const unknown = { branch: null, head: null, rootCommit: null };
    expect(differences(unknown, was)).toEqual([]);
  });
});
