/** A method got another name, and a file that nobody touched still calls it of a value: never safe on its agent's word (S3, T2). */
import { describe, expect, it } from "vitest";
import { type Case, DONE, judge, rulesOf, type Tree } from "../../../../test/support/triage-facts.ts";

const parser = (name: string): string =>
  `class Parser:\n    def parse(self, args):\n        return self.${name}(args)\n\n    def ${name}(self, args):\n        return args[0]\n`;
const TEST =
  "from app import cli\n\n\nclass TestParser:\n    def setup(self):\n        self.parser = cli.Parser()\n\n    def test_it(self):\n        assert self.parser.suggest(['a']) == 'a'\n";
const renamed = (more: Tree, after = parser("guess")): Case => ({
  head: { "app/__init__.py": "", "app/cli.py": parser("suggest"), ...more },
  now: { "app/cli.py": after },
  facts: DONE,
});

describe("a method of Python that is called by its former name", () => {
  it("of a field that is made of a class of the workspace, with the line", async () => {
    const [group] = await judge(renamed({ "tests/test_cli.py": TEST }));
    expect(group?.verdict).toBe("unknown");
    expect(group?.reasons.map(({ message }) => message).join()).toContain(
      "tests/test_cli.py:9 reads suggest of a value, which nothing near here has",
    );
  });

  it.each<[string, Case]>([
    ["where nobody calls it", renamed({ "tests/test_cli.py": TEST.replaceAll("suggest", "parse") })],
    [
      "where another class has one of that name",
      renamed({
        "tests/test_cli.py": TEST,
        "app/other.py": "class B:\n    def suggest(self):\n        return 1\n",
      }),
    ],
    [
      "where it is kept as another name",
      renamed({ "tests/test_cli.py": TEST }, `${parser("guess")}\n    suggest = guess\n`),
    ],
    [
      "where the value is of a package that is not here",
      renamed({ "tests/test_cli.py": TEST.replace("from app import cli", "import cli") }),
    ],
    [
      "where its caller is changed along",
      {
        ...renamed({ "tests/test_cli.py": TEST }),
        now: { "app/cli.py": parser("guess"), "tests/test_cli.py": TEST.replaceAll("suggest", "guess") },
      },
    ],
  ])("says nothing %s", async (_, given) => {
    for (const group of await judge(given)) expect(rulesOf(group)).not.toContain("unseen-name");
  });
});
