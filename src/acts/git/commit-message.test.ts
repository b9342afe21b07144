import { describe, expect, it } from "vitest";
import { trailerOf, withTrailer } from "./commit-message.ts";

const FACTS = { session: "s1", agent: "tester" };

describe("a commit's trailer", () => {
  it("is there only when somebody asked for it, and names no session where there is none", () => {
    expect(trailerOf(undefined, FACTS)).toBeNull();
    expect(trailerOf(false, FACTS)).toBeNull();
    expect(trailerOf(true, FACTS)).toBe("Refloat-Session: s1");
    expect(trailerOf(true, { session: null, agent: null })).toBeNull();
    expect(trailerOf("Assisted-by: {agent}", FACTS)).toBe("Assisted-by: tester");
    expect(trailerOf("Reviewed-by: nobody", { session: null, agent: null })).toBe("Reviewed-by: nobody");
  });

  it("is one line whatever an agent calls itself (T3)", () => {
    const agent = "x\nSigned-off-by: the user <u@example.invalid>\u001b[0m";
    expect(trailerOf("Assisted-by: {agent}", { session: "s", agent })).not.toContain("\n");
  });

  it("joins the trailers that are there, follows a blank line where there are none, and comes once", () => {
    const trailer = "Refloat-Session: s1";
    expect(withTrailer("Subject\n", null)).toBe("Subject\n");
    expect(withTrailer("Subject", trailer)).toBe("Subject\n\nRefloat-Session: s1\n");
    expect(withTrailer("Subject\n\n- a.md\n- b.md\n", trailer)).toBe(
      "Subject\n\n- a.md\n- b.md\n\nRefloat-Session: s1\n",
    );
    const signed = "Subject\n\nWhy.\n\nSigned-off-by: Ann <a@x>\n";
    expect(withTrailer(signed, trailer)).toBe(`${signed}Refloat-Session: s1\n`);
    expect(withTrailer(withTrailer(signed, trailer), trailer)).toBe(withTrailer(signed, trailer));
    // A first line that looks like one is the subject.
    expect(withTrailer("docs: the guide\n", trailer)).toBe("docs: the guide\n\nRefloat-Session: s1\n");
  });
});
