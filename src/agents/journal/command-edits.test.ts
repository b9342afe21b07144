/** What commands put into files to the byte, and what is only known to have changed. */
import { describe, expect, it } from "vitest";
import type { KeptEdit } from "../../model/recorded-edit.ts";
import { editsOfExecution, editsOfScript } from "./command-edits.ts";

const edits = (script: string): readonly KeptEdit[] => editsOfScript(script, "");
const wrote = (path: string, after: string): KeptEdit => ({ kind: "write", path, after });
const added = (path: string, text: string): KeptEdit => ({ kind: "append", path, text });
const changed = (path: string): KeptEdit => ({ kind: "unknown", path });

describe("a command whose words are what it writes", () => {
  it.each<[string, KeptEdit[]]>([
    ['echo "line two" >> notes.txt && git status --short', [added("notes.txt", "line two\n")]],
    ["echo one  two > a", [wrote("a", "one two\n")]],
    ["echo -n one > a", [wrote("a", "one")]],
    ["printf '%s' 'line one\n' > notes.txt", [wrote("notes.txt", "line one\n")]],
    ["printf '%s\\n' a b >> n", [added("n", "a\nb\n")]],
    ["printf 'a\\nb\\n' > n", [wrote("n", "a\nb\n")]],
    ["cat > a.js <<'EOF'\nconst a = `$b`;\n\nEOF\nls", [wrote("a.js", "const a = `$b`;\n\n")]],
    ["cat <<EOF >> a.md\n- one\nEOF", [added("a.md", "- one\n")]],
    ["sed -i 's/one/two/g' a b", ["a", "b"].map((path) => replaced(path, "one", "two"))],
    ["touch a", [added("a", "")]],
    ["rm -f a", [{ kind: "delete", path: "a" }]],
    ["cd sub && echo a > f; cd ../other && echo b > g", [wrote("sub/f", "a\n"), wrote("other/g", "b\n")]],
    ["cd /abs && echo a > f", [wrote("/abs/f", "a\n")]],
    ["ls -l; grep -n a b", []],
    ["echo a > /dev/null", []],
  ])("%s", (script, expected) => {
    expect(edits(script)).toEqual(expected);
  });

  it.each<[string, KeptEdit[]]>([
    ["date >> log", [changed("log")]],
    ['echo "$HOME" > a', [changed("a")]],
    ["echo 'a\\nb' > a", [changed("a")]],
    ["echo -e a > a", [changed("a")]],
    ["printf '%d' 1 > a", [changed("a")]],
    ["cat > a <<EOF\n$HOME\nEOF", [changed("a")]],
    ["echo a 2> a", [changed("a")]],
    ["echo a > a > b", [changed("a"), changed("b")]],
    ["true || echo a > a", [changed("a")]],
    ["sed -i 's/a.c/b/' f", [changed("f")]],
    ["sed -i -e 's/a/b/' f", [changed("f")]],
    ["cp a b", [changed("b")]],
    ["mv a b", [changed("a"), changed("b")]],
    ["seq 3 | cat > a", [changed("a")]],
  ])("is none where a byte is not told: %s", (script, expected) => {
    expect(edits(script)).toEqual(expected);
  });

  it.each([
    "echo $(date) > a",
    "(echo a > a)",
    "echo a > a &",
    'cd "$X" && echo a > a',
    "cd - && echo a > a",
    "eval x; echo a > a",
  ])("is not followed where it does what is not seen here: %s", (script) => {
    expect(edits(script)).toEqual([]);
  });

  it("stands in the folder its call names", () => {
    expect(editsOfExecution({ cmd: "echo a > f", workdir: "sub" })).toEqual([wrote("sub/f", "a\n")]);
    expect(editsOfExecution({ command: ["bash", "-lc", "echo a > f"] })).toEqual([wrote("f", "a\n")]);
  });
});

function replaced(path: string, old: string, put: string): KeptEdit {
  return { kind: "replace", path, old, new: put, everywhere: true };
}
