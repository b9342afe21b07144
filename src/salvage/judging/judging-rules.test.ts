/** T2: a file that the check runs is its judge; one that it only reads is what is judged. */
import { expect, it } from "vitest";
import { filesOfCheck } from "./judging-rules.ts";

it.each([
  ["sh ./check.sh", ["/check.sh"]],
  ["node test/all.js && grep -q ok out.txt", ["/test/all.js", "/out.txt"]],
  ["cat check.sh | sh", ["/check.sh"]],
  ['eval "$(cat check.sh)"', ["/check.sh"]],
  ["source ./env.sh; test -f a.txt", ["/env.sh", "/a.txt"]],
  ["grep -q 'a; sh x.sh' b.txt", ["/x.sh", "/b.txt"]],
  ["./check.sh", ["/check.sh"]],
  ['"$(cat run.txt)" a.txt', ["/run.txt", "/a.txt"]],
  ["true && $(cat run.txt)", ["/run.txt"]],
  ["test `cat a.txt` = 1", ["/a.txt"]],
  ["cat <(sh a.sh)", ["/a.sh"]],
  ["case a in a) sh x.sh;; esac", ["/x.sh"]],
  ["if $(cat run.txt); then true; fi", ["/run.txt"]],
  ["$RUN check.sh", ["/check.sh"]],
  ["test -x check.sh && ./check.sh", ["/check.sh", "/check.sh"]],
  ["sh < check.sh", ["/check.sh"]],
  ["node --check a.js && node a.js", ["/a.js", "/a.js"]],
  ["xargs sh -c < list.txt", ["/list.txt"]],
  ["cat a.txt\nsh b.sh", ["/a.txt", "/b.sh"]],
  ["find . -name x.sh -exec sh {} +", ["/.", "/x.sh"]],
  ["grep -q 1 a.txt & ./b.sh", ["/a.txt", "/b.sh"]],
])("%s may run a file: its words count", (check, files) => {
  expect(filesOfCheck(check)).toEqual(files);
});

it.each([
  "grep -q good a.txt",
  "! grep -q 3 c.txt && ! (grep -q 2 a.txt && grep -q 2 b.txt)",
  'test "$(cat a.txt)" = ok',
  "[ ! -f a.txt ] || [ ! -f b.txt ]",
  "if grep -q bad a.txt; then exit 1; fi",
  "node --check src/a.js",
  "python3 -m py_compile app.py",
  "LC_ALL=C grep -c x a.txt | wc -l",
  "true",
])("%s only reads: no file is its judge", (check) => {
  expect(filesOfCheck(check)).toEqual([]);
});
