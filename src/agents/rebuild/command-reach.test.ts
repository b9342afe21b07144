import { describe, expect, it } from "vitest";
import { mayMean, reachOfCommand } from "./command-reach.ts";

const kindOf = (command: string): string => reachOfCommand(command).kind;

describe("what a command may have written", () => {
  it.each([
    "ls -la",
    "cat a.txt | head -5 | grep -n x",
    "git status --short && git --no-pager diff HEAD -- src",
    "sed -n '1,20p' src/a.ts",
    "cd sub && ls 2>&1 > /dev/null",
    'echo "$HOME" # and no more',
    "sleep 30; true",
    "find . -name '*.ts'",
    "sort < a.txt",
    "cat <<'EOF'\nrm $(x)\nEOF",
  ])("is nothing: %s", (command) => {
    expect(kindOf(command)).toBe("nothing");
  });

  it.each<[string, readonly string[]]>([
    ["rm -rf dist", ["dist"]],
    ["echo a >> notes.txt && git status --short", ["notes.txt"]],
    ["cat > 'a b.txt' <<'EOF'\nx > y\nEOF\nls", ["a b.txt"]],
    ["sed -i 's/a/b/g' a.ts b.ts", ["a.ts", "b.ts"]],
    ["mv a.ts src/", ["a.ts", "src/"]],
    ["printf x &> log", ["log"]],
    ["echo x | tee -a out.txt", ["out.txt"]],
  ])("is what it names: %s", (command, words) => {
    expect(reachOfCommand(command)).toEqual({ kind: "named", words });
  });

  it.each([
    ...[
      "npm test",
      "node -e 1",
      "python3 x.py",
      "make",
      "bash x.sh",
      "eval ls",
      "git checkout .",
      "git -c a=b status",
      "git commit -m x",
    ],
    ...[
      "rm *.ts",
      "rm $F",
      "rm ~/x",
      "rm .",
      "rm -r ..",
      "rm ../..",
      "rm {a,b}",
      "echo `rm a`",
      'echo "$(rm a)"',
      "ls > $F",
      "ls > >(tee a)",
    ],
    ...[
      "(rm a)",
      "{ rm a; }",
      "if true; then rm a; fi",
      "X=1 ls",
      "find . -delete",
      "find . -exec rm {} +",
      "sort -o a a",
      "sed -n 'w a' b",
    ],
    ...[
      "sed -i 's/a/b/w c' a",
      "sed -e 's/a/b/e' x",
      "awk '{print > \"a\"}' b",
      "xargs rm < list",
      "ls |& tee a",
      "cat <<EOF\n$(rm a)\nEOF",
      "echo 'open",
      "cat <<EOF\nno end",
    ],
    ...["rg --pre x y", "diff --output=a b c", "tree -o a", "r\\m a", "\\rm -rf src"],
  ])("may be anything: %s", (command) => {
    expect(kindOf(command)).toBe("anything");
  });

  it("goes on behind the command that started something beside it", () => {
    expect(reachOfCommand("node watch.js &")).toEqual({ kind: "anything", isLasting: true });
    expect(reachOfCommand("nohup node x.js > $L")).toEqual({ kind: "anything", isLasting: true });
    expect(reachOfCommand("npm ci && npm test")).toEqual({ kind: "anything", isLasting: false });
  });

  it("means a file, or what lies in a folder, from wherever the command stood", () => {
    expect(mayMean("a.ts", "/repo/src/a.ts")).toBe(true);
    expect(mayMean("./src", "/repo/src/a.ts")).toBe(true);
    expect(mayMean("../src/a.ts", "/repo/src/a.ts")).toBe(true);
    expect(mayMean("/repo/src/", "/repo/src/a.ts")).toBe(true);
    expect(mayMean("/other/src", "/repo/src/a.ts")).toBe(false);
    expect(mayMean("b.ts", "/repo/src/a.ts")).toBe(false);
    expect(mayMean("a.t", "/repo/src/a.ts")).toBe(false);
  });
});
