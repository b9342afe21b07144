/** A Python file came to import what is nowhere: a package somebody has, or a file beside it that never came. On both sides. */
import { describe, expect, it } from "vitest";
import { type Case, DONE, judge, rulesOf, type Tree } from "../../../test/support/triage-facts.ts";

const server = (line: string, more: Tree = {}, also: Case["now"] = {}): Case => ({
  head: { "server.py": "PORT = 1\n", ...more },
  now: { "server.py": `${line}\n\nX = x\nPORT = 1\n`, ...also },
  facts: DONE,
});

describe("a Python file came to import a module that is nowhere: never safe on its agent's word (S3, T2)", () => {
  it.each([
    ["by name", server("from simpleopenid import x")],
    ["whole", server("import simpleopenid as x")],
    ["by a dotted name", server("from simpleopenid.store import x")],
    [
      "where manifests name others",
      server("from simpleopenid import x", { "requirements.txt": "requests\nopenid==1\n" }),
    ],
    [
      "in a package",
      {
        head: { "pkg/__init__.py": "", "pkg/a.py": "A = 1\n" },
        now: { "pkg/a.py": "from simpleopenid import x\n\nX = x\nA = 1\n" },
        facts: DONE,
      },
    ],
    [
      "that only somebody else's uncommitted work has",
      {
        ...server("from simpleopenid import x", {}, { "simpleopenid.py": "x = 1\n" }),
        owners: { "simpleopenid.py": "before" as const },
      },
    ],
    [
      "that another file only mentions",
      server("from simpleopenid import x", { "notes.py": "# simpleopenid comes next\n" }),
    ],
  ])("%s", async (_, given) => {
    const groups = await judge(given);
    const group = groups.find(({ changes }) =>
      changes.some(({ change }) => change.path.endsWith("r.py") || change.path === "pkg/a.py"),
    );
    expect(group && rulesOf(group)).toContain("undeclared-package");
    expect(group?.verdict).toBe("unknown");
  });

  it.each([
    ["that came along", server("from simpleopenid import x", {}, { "simpleopenid.py": "x = 1\n" })],
    ["that lies in src", server("from simpleopenid import x", { "src/simpleopenid.py": "x = 1\n" })],
    [
      "that it imported before",
      { ...server("from simpleopenid import x"), head: { "server.py": "import simpleopenid\n" } },
    ],
    [
      "that another file imports",
      server("from simpleopenid import x", { "a.py": "import simpleopenid.store\n" }),
    ],
    ["that is Python's own", server("from urllib.parse import quote as x")],
    ["that may be missing", server("try:\n    import simpleopenid as x\nexcept ImportError:\n    x = None")],
    ["named by requirements", server("import simpleopenid as x", { "requirements.txt": "simpleopenid\n" })],
    [
      "named by requirements in other letters",
      server("import flask_login as x", { "requirements/dev.txt": "Flask-Login >= 1\n" }),
    ],
    [
      "named by requirements of another name",
      server("import yaml as x", { "dev-requirements.txt": "PyYAML\n" }),
    ],
    [
      "of a name that begins the package's",
      server("from google.cloud import x", { "requirements.txt": "google-cloud-storage\n" }),
    ],
    [
      "named by a package of another name",
      server("import cv2 as x", { "setup.py": "setup(install_requires=['opencv-python-headless'])\n" }),
    ],
    [
      "named by pyproject.toml",
      server("import httpx as x", {
        "pyproject.toml": '[project]\nname = "p"\ndependencies = ["httpx[http2]>=0.2"]\n',
      }),
    ],
    ["named by a Pipfile", server("import httpx as x", { Pipfile: '[packages]\nhttpx = "*"\n' })],
    [
      "named by setup.cfg",
      server("import httpx as x", { "setup.cfg": "[options]\ninstall_requires =\n    httpx\n" }),
    ],
    ["named by conda", server("import httpx as x", { "environment.yml": "dependencies:\n  - httpx=0.2\n" })],
    [
      "named by requirements that came along",
      server(
        "import httpx as x",
        { "requirements.txt": "requests\n" },
        { "requirements.txt": "httpx\nrequests\n" },
      ),
    ],
  ])("not so: %s", async (_, given) => {
    expect((await judge(given)).flatMap(rulesOf)).not.toContain("undeclared-package");
  });
});
