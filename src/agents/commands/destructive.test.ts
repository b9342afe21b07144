import { describe, expect, it } from "vitest";
import fc from "../../../test/support/fast-check.ts";
import { destructionsIn, UNNAMED } from "./destructive.ts";

const whats = (script: string): readonly string[] => destructionsIn(script).map(({ what }) => what);

describe("a destructive command", () => {
  it.each([
    ["rm -rf build", "rm -rf"],
    ["rm notes.txt", "rm"],
    ["cd a && /bin/rm -fr b", "rm -rf"],
    ["FOO=1 sudo -u me rm -r x", "rm -rf"],
    ["if true; then rm -rf x; fi", "rm -rf"],
    ["echo $(rm -rf x)", "rm -rf"],
    ['echo "`rm -rf x`"', "rm -rf"],
    ["bash -lc 'cd x; git clean -fdx'", "git clean"],
    ['sh -c "git stash"', "git stash"],
    ["eval git reset --hard", "git reset --hard"],
    ["ls | xargs -n 1 rm", "rm"],
    ["find . -name '*.o' -delete", "find"],
    ["find . -exec rm {} +", "find"],
    ["git reset --hard HEAD~1", "git reset --hard"],
    ["git -C ../other -c core.x=y reset --hard", "git reset --hard"],
    ["git clean -fd", "git clean"],
    ["git checkout -- src", "git checkout --"],
    ["git checkout src/a.ts", "git checkout --"],
    ["git checkout -f main", "git checkout --"],
    ["git restore .", "git restore"],
    ["git switch -f main", "git switch -f"],
    ["git switch --discard-changes main", "git switch -f"],
    ["git stash", "git stash"],
    ["git stash push -u", "git stash"],
    ["git stash drop", "git stash"],
    ["git worktree remove --force ../wt", "git worktree remove"],
    ["git branch -D feature", "git branch -D"],
    ["git branch --delete --force feature", "git branch -D"],
    ["mv a b", "mv"],
    ["terraform apply -auto-approve", "terraform apply"],
    ["docker compose down -v", "docker compose down -v"],
    ["docker compose down", "docker compose down"],
    ["docker-compose -f x.yml down --volumes", "docker compose down -v"],
    ["timeout 5 nice -n 3 git \\\n  clean -f", "git clean"],
    ["git rebase -i main", "git rebase"],
    ["git rm -r src", "git rm"],
    ["git merge --abort", "git merge --abort"],
    ["git gc --prune=now", "git gc"],
    ["git reflog expire --expire=now --all", "git reflog expire"],
    ["git submodule deinit -f lib", "git submodule deinit"],
    ["npx rimraf dist", "rm"],
    ["busybox rm -r x", "rm -rf"],
    ["ls | parallel -j 4 rm", "rm"],
    ["fd -e o -x rm", "find"],
    ["rsync -a --delete a/ b/", "rsync --delete"],
    ["while read f; do rm $f; done", "rm"],
    ["python -c 'import shutil; shutil.rmtree(\"x\")'", "a program with rmtree"],
    ["python3 - <<'E'\nimport shutil\nshutil.rmtree('x')\nE", "a program with rmtree"],
    ["node -e 'fs.rmSync(\"x\", { recursive: true })'", "a program with rmSync"],
    ["$TOOL -rf x", "$TOOL"],
    ["git $SUB", "git"],
    ["echo 'open", "a command that cannot be read"],
    ['sh -c "$SCRIPT"', "a command that cannot be read"],
    [`echo ${"x".repeat(100_000)}`, "a command that cannot be read"],
  ])("is seen in %s", (script, what) => {
    expect(whats(script)).toEqual([what]);
  });

  it.each([
    "ls -la; git status && git log",
    "echo 'rm -rf x'",
    "git commit -m 'git reset --hard'",
    "# rm -rf x",
    "git reset HEAD file",
    "git clean -n",
    "git checkout -b new",
    "git switch main",
    "git stash list",
    "git worktree list",
    "git branch -a",
    "git rm --cached a",
    "git merge main",
    "git reflog",
    "rsync -a a/ b/",
    "python -c 'print(1)'",
    "mv -n a b",
    "terraform plan",
    "npm run form",
    "grep -r rm .",
  ])("is not seen in %s", (script) => {
    expect(whats(script)).toEqual([]);
  });

  it("names the folder it was changed into, and says where nobody can tell", () => {
    expect(destructionsIn("cd a && cd b/c && rm x")[0]?.folders).toEqual(["a", "b/c"]);
    expect(destructionsIn("(cd a && ls); rm x")[0]?.folders).toEqual([]);
    expect(destructionsIn('cd "$X" && rm x')[0]?.folders).toBeNull();
  });

  it("names what else is in danger: other trees, ignored files, branches", () => {
    expect(destructionsIn("git clean -fdx")[0]?.takesIgnored).toBe(true);
    for (const script of ["rm *.env", "rm {a,b}.env", 'rm "$X"', "ls | xargs rm", "find . -name x -delete"])
      expect([script, destructionsIn(script)[0]?.takesIgnored]).toEqual([script, true]);
    expect(destructionsIn("rm -f a.env ./b.env")[0]?.takesIgnored).toBe(false);
    expect(destructionsIn("rm {a,b}.env")[0]?.places).toEqual([]);
    expect(destructionsIn("{ rm a.env; }")[0]?.places).toEqual(["a.env"]);
    expect(destructionsIn("terraform apply")[0]?.writesOver).toContain("*.tfstate");
    expect(destructionsIn("docker compose down -v")[0]?.beyond).toEqual([
      "the volumes that docker compose down -v deletes",
    ]);
    expect(destructionsIn("docker compose down")[0]?.beyond).toEqual([]);
    for (const script of [
      'rm -rf "$X"',
      "rm *.$EXT",
      "rm -rf $(cat list)",
      "ls | xargs rm",
      'cd "$X" && git clean -fd',
    ])
      expect([script, destructionsIn(script)[0]?.beyond]).toEqual([script, [UNNAMED]]);
    for (const script of ["rm -rf *.o", "rm -rf ~/x", "rm {a,b}", "cd x && rm -rf y", "find . -delete"])
      expect([script, destructionsIn(script)[0]?.beyond]).toEqual([script, []]);
    expect(destructionsIn("git worktree remove ../wt")[0]?.places).toEqual(["../wt"]);
    expect(destructionsIn("git -C /other reset --hard")[0]?.places).toEqual(["/other"]);
    expect(destructionsIn('git branch -D "$B"')[0]?.beyond).toEqual([UNNAMED]);
    expect(destructionsIn("git branch -D a b")[0]?.branches).toEqual(["a", "b"]);
    expect(destructionsIn('rm -rf /other/tree "a b" $X')[0]?.places).toEqual(["/other/tree", "a b"]);
  });

  it.each([
    'rm -rf $HOME/x; bash -c "rm -rf $HOME/y"',
    "cat <<E\ndon't\nE\nrm -rf x",
    "$RM -rf x",
    "git $SUB",
    'find "$D" -delete',
    "find -L . -delete",
    'find . -exec rm "$X" \\;',
    "find . -name x -exec sh -c 'rm -rf \"$1\"' _ {} \\;",
    'fd . "$D" -x rm',
    'git -C "$D" clean -fdx',
    'git --work-tree="$D" clean -fd',
    'git worktree remove --force "$wt"',
    'mv a "$OUT"',
    'mv -t "$OUT" a',
    "node -e 'rmSync(x)'",
    "python3 -c 'shutil.rmtree(f\"{x}\")'",
    "ls | xargs -I{} rm -rf {}",
    "ls | xargs -I % rm -rf %",
    "ls | xargs -i rm -rf {}",
    "ls | xargs --max-args 1 rm",
    "parallel 'rm -rf {}' ::: a b",
    "rm -rf ../clone{1..3}",
    "rm -rf ../build-*-$(git rev-parse HEAD)",
    "rm -rf ~bob/x",
    "rm [[:digit:]]*",
    "rm -rf !(keep)",
    "env -C ../b git clean -fdx",
    "GIT_WORK_TREE=../b git clean -fd",
  ])("T1: of %s nobody can tell before it runs what it takes away", (script) => {
    const found = destructionsIn(script);
    expect(found.map(({ beyond, takesIgnored }) => [beyond, takesIgnored])).toContainEqual([[UNNAMED], true]);
  });

  it.each([
    ["find ../b -delete", ["../b"]],
    ["find ../b -name x -exec rm {} +", ["../b", "../b"]],
    ["mv a.txt ~/notes.txt", []],
    ["mv a /b 2>/dev/null", ["/b"]],
    ["mv -t ../dir a b", ["../dir"]],
    ["rsync -a --delete src/ ~/dst/", []],
    ["rsync -a --delete src/ dst/ --exclude .git", ["dst/"]],
    ["git -C ../a -C b rm c", ["../a/b", "../a/b/c"]],
    ["git --work-tree=../b clean -fd", ["../b"]],
    ["terraform -chdir=../infra apply", ["../infra"]],
    ["rm -rf x >/dev/null 2>&1", ["x"]],
  ])("is about what is written where it can be told: %s", (script, places) => {
    expect(destructionsIn(script).map((one) => one.places)).toEqual([places]);
    expect(destructionsIn(script)[0]?.beyond).toEqual([]);
  });

  it("is found whatever stands around it: nothing that a model may type ends the reading (D6, T3)", () => {
    const word = fc.constantFrom(
      ...[
        "git",
        "find",
        "-exec",
        "sudo",
        "sh",
        "-c",
        "xargs",
        "cd",
        "fd",
        "-x",
        "eval",
        "mv",
        "'",
        '"',
        "`",
        "$(",
      ],
      ...[
        "constructor",
        "hasOwnProperty",
        "toString",
        "__proto__",
        "valueOf",
        "-x",
        "-C",
        ";",
        "(",
        ")",
        "\\",
        "\n",
      ],
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 20 }), (words) => {
        const script = words.join(" ");
        expect(() => destructionsIn(script)).not.toThrow();
        expect(whats(`rm -rf x\n${script}`)).not.toEqual([]);
      }),
    );
    expect(whats("git hasOwnProperty x; toString -x; git __proto__; rm -rf x")).toEqual(["rm -rf"]);
    expect(whats(`${"find -exec ".repeat(5000)} rm x`)).toEqual(["find"]);
  });
});
