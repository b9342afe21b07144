/** Ends of texts: what an edit leaves and what a cut leaves, side by side. Through the whole judge, rule open-end. */
import { describe, expect, it } from "vitest";
import { type Case, COMPLETED, ENDED, judge, rulesOf } from "../../../../test/support/triage-facts.ts";

const done = { operations: [ENDED], turns: [COMPLETED] };
const edit = (before: string, after: string, path = "README.md"): Case => ({
  head: { [path]: before },
  now: { [path]: after },
  facts: done,
});
const added = (path: string, text: string): Case => ({ head: {}, now: { [path]: text }, facts: done });

const BODY = `# A thing\n\n${["one", "two", "three", "four", "five", "six"].map((word) => `A sentence about ${word}.\n`).join("\n")}`;
const MIT = `MIT License

Copyright (c) 2020 A. Nobody

Permission is hereby granted, free of charge, to any person obtaining a copy.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
`;
const NOTE = `<div align="center">\n\t<b>\n\t\t<a href="https://example.org">Support it</a>\n\t</b>\n</div>\n`;
const made = (on: string): string => `_This file was made by a program on ${on}._\n`;
const list = (...names: string[]): string =>
  names.map((name) => `- [the ${name} of it](docs/${name}.md)\n`).join("");
const labelled = (labels: readonly string[]): string =>
  `# Changes\n\n${BODY}\n[![build][build-image]][build-url] and [text][]\n\n${labels.map((label) => `[${label}]: https://example.org/${label}\n`).join("")}`;
const LABELS = ["build-image", "build-url", "text"];

describe("the end of a text", () => {
  it.each([
    [
      "its last line, with another date",
      edit(`${BODY}\n${made("April 1, 2016")}`, `# New\n\n${BODY}\n${made("May 28, 2017")}`),
    ],
    [
      "its last line, which never had an end",
      edit(`${BODY}\nMIT (c) A. Nobody 2015`, `${BODY}\nMIT (c) 2016 A. Nobody 2015`),
    ],
    ["other ends of its lines", edit(BODY.replaceAll("\n", "\r\n"), BODY, "docs/about.txt")],
    [
      "a block of markup in place of its last lines",
      edit(`${BODY}\n## Licence\n\nMIT\n`, `${BODY}\n---\n\n${NOTE}`),
    ],
    ["a new licence that ends with its last words", added("LICENSE", MIT)],
    ["a new licence without an end of its last line", added("license", MIT.trimEnd())],
    [
      "an edit above labels that are all defined",
      edit(labelled(LABELS), labelled(LABELS).replace("six", "seven")),
    ],
    [
      "code with brackets of its own",
      edit(`${BODY}\nThe end of it.\n`, `# B\n\n\`\`\`js\na[0][key]\n\`\`\`\n\n${BODY}\nThe end of it.\n`),
    ],
    ["data in braces without an ending", added(".nycrc", '{\n  "all": true,\n  "lines": 90\n}\n')],
  ] as const)("is shown by %s: the finished work is safe", async (_, given) => {
    expect((await judge(given)).map(({ verdict }) => verdict)).toEqual(["safe"]);
  });

  it.each([
    [
      "another last line, below which more may be missing",
      edit(`${BODY}\nThe last words of it.\n`, `${BODY}\nQuite another sentence.\n`),
    ],
    [
      "a line of a list that is like all others",
      edit(`${BODY}\n${list("start", "use", "end")}`, `${BODY}\n${list("start", "use", "stop")}`),
    ],
    [
      "a part of a last line that never had an end",
      edit(`${BODY}\nMIT (c) 2015 A. Nobody and friends`, `${BODY}\nMIT (c) 2016 A. Nobody and`),
    ],
    [
      "a block that is not closed",
      edit(`${BODY}\n## Licence\n\nMIT\n`, `${BODY}\n---\n\n${NOTE.replace("</div>\n", "")}`),
    ],
    [
      "a block closed above more that was to come",
      edit(`${BODY}\n## Licence\n\nMIT\n`, `${BODY}\n---\n\n${NOTE}\nAnd`),
    ],
    ["a new licence cut before its last words", added("LICENSE", MIT.slice(0, MIT.indexOf("OUT OF")))],
    ["a licence notice in the middle of a page", added("README.md", `${BODY}\n${MIT}`)],
    [
      "a label around a picture that is not defined",
      edit(labelled(LABELS), labelled(["build-image", "text"]).replace("six", "seven")),
    ],
    [
      "a label that lost its definition",
      edit(labelled(LABELS), labelled(["build-image", "build-url"]).replace("six", "seven")),
    ],
    ["a new text whose labels are yet to come", added("docs/a.md", "# A [![build][image]][url]\n")],
    ["a new text with nothing in it yet", added("docs/a.md", "\n")],
    [
      "a short text that grew to a colon",
      edit("# A\n\nSome words.\n", "# A\n\nSome words.\n\nThe options are these:\n"),
    ],
    ["a short text that grew to a comma", added("docs/a.txt", "If you like it, look at the others,\n")],
    [
      "a short history cut after its newest entry",
      edit("# Changes\n\n- first one\n", "# Changes\n\n- second one\n", "CHANGELOG.md"),
    ],
    ["a heading of data with nothing below it", added("opslevel.yml", "---\n")],
  ] as const)("is not shown by %s: never safe on its agent's word (S3, T2)", async (_, given) => {
    const groups = await judge(given);
    expect(groups.flatMap(rulesOf)).toContain("open-end");
    expect(groups.map(({ verdict }) => verdict)).not.toContain("safe");
  });

  it("is not shown where the text before it cannot be read", async () => {
    const given: Case = {
      head: { "README.md": Buffer.concat([Buffer.from(BODY), Buffer.from([0xff, 0x0a])]) },
      now: { "README.md": BODY },
      facts: done,
    };
    expect((await judge(given)).map(({ verdict }) => verdict)).not.toContain("safe");
  });
});
