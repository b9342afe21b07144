/** Python: a member that is read of a value whose class is plain and that its class does not have is never safe on its agent's word (S3, T2). */
import { describe, expect, it } from "vitest";
import {
  type Case,
  COMPLETED,
  DONE,
  judge,
  rulesOf,
  type Tree,
} from "../../../../test/support/triage-facts.ts";

const done = (head: Tree, now: Case["now"]): Case => ({ head, now, facts: DONE });
const MODEL =
  "class Response:\n    def __init__(self, status):\n        self.status = status\n\n    @property\n    def content(self):\n        return self.status\n";
const WITH_TEXT = `${MODEL}\n    @property\n    def text(self):\n        return str(self.status)\n`;
const PACKAGE = "from .models import Response\n";
/** `text` is a name that others have: by names alone nobody would miss it. */
const OTHER = "def shown(text):\n    return text\n";
const test = (body: string, more = ""): string =>
  `import app\n${more}\n\ndef test_it():\n    response = app.Response(200)\n${body
    .split("\n")
    .map((line) => `    ${line}\n`)
    .join("")}`;
const HEAD: Tree = {
  "app/__init__.py": PACKAGE,
  "app/models.py": MODEL,
  "app/other.py": OTHER,
  "tests/test_models.py": test("assert response.status == 200"),
};
const read = (body: string, more = "", head: Tree = {}): Case =>
  done({ ...HEAD, ...head }, { "tests/test_models.py": test(body, more) });

describe("a member of Python that is read of a value whose class is plain", () => {
  it("and that the class is yet to get is doubted, with line, class and member", async () => {
    const [group] = await judge(read('assert response.text == "200"'));
    expect(group?.verdict).toBe("unknown");
    expect(group?.reasons.map(({ message }) => message).join()).toContain(
      "tests/test_models.py:6 needs Response.text from app",
    );
  });

  it.each<[string, Case]>([
    ["a method", read("assert response.json() == 200")],
    [
      "of a class of another name here",
      done(HEAD, {
        "tests/test_models.py":
          "from app import Response as R\n\n\ndef test_it():\n    one = R(200)\n    assert one.text == 1\n",
      }),
    ],
    [
      "of a class that has what another has",
      read('assert response.text == ""', "", {
        "app/models.py": `class Plain:\n    size = 1\n\n\n${MODEL.replace("Response:", "Response(Plain):")}`,
      }),
    ],
    [
      "of a class of the same file",
      done(
        { "app/models.py": `${MODEL}\n\ndef made():\n    return 1\n` },
        {
          "app/models.py": `${MODEL}\n\ndef made():\n    one = Response(200)\n    return one.text\n`,
        },
      ),
    ],
  ])("is doubted: %s", async (_, given) => {
    const groups = await judge(given);
    expect(groups.flatMap(rulesOf).filter((rule) => /^unseen-(?:name|call)$/.test(rule))).not.toEqual([]);
    expect(groups.map(({ verdict }) => verdict)).not.toContain("safe");
  });

  it("that went while an unchanged file reads it is doubted, though others have one of its name", async () => {
    const given = done(
      { ...HEAD, "app/models.py": WITH_TEXT, "tests/test_models.py": test("assert response.text") },
      { "app/models.py": WITH_TEXT.replace("def text", "def words") },
    );
    const [group] = await judge(given);
    expect(group?.verdict).toBe("unknown");
    expect(group?.reasons.map(({ message }) => message).join()).toContain(
      "tests/test_models.py:6 needs Response.text from app",
    );
  });

  it.each<[string, Case]>([
    ["that it has", read("assert response.content == 200\nassert response.status")],
    [
      "that comes along",
      done(HEAD, { "app/models.py": WITH_TEXT, "tests/test_models.py": test("assert response.text") }),
    ],
    [
      "that it had not before either",
      done(
        { ...HEAD, "tests/test_models.py": test("assert response.text") },
        { "tests/test_models.py": test("assert response.text\nassert response.status") },
      ),
    ],
    ["that the file sets", read("response.text = 1\nassert response.text")],
    ["that the file names in a text", read('if hasattr(response, "text"):\n    print(response.text)')],
    ["of what is handed to another's function", read("app.other.shown(response)\nassert response.text")],
    ["of what may be another's", read("response = app.other.shown(1)\nassert response.text")],
    [
      "of what a function inside of it may set",
      read("def inner():\n    nonlocal response\nassert response.text"),
    ],
    [
      "where it is ready for one that is missing",
      read("try:\n    response.text\nexcept AttributeError:\n    pass"),
    ],
    [
      "of a class with a base from elsewhere",
      read("assert response.text", "", {
        "app/models.py": `from lib import Base\n\n\n${MODEL.replace("Response:", "Response(Base):")}`,
      }),
    ],
    [
      "of a class that answers for any",
      read("assert response.text", "", {
        "app/models.py": `${MODEL}\n    def __getattr__(self, name):\n        return name\n`,
      }),
    ],
    [
      "of a class whose fields are taken apart",
      read("assert response.text", "", {
        "app/models.py": `${MODEL}\n    def set(self, pair):\n        self.head, self.text = pair\n`,
      }),
    ],
    [
      "that is set of it in its own file",
      read("assert response.text", "", {
        "app/models.py": `${MODEL}\n\ndef made(one):\n    one.text = 1\n    return one\n`,
      }),
    ],
    [
      "of a frozen class that sets a field of its own as every object can",
      read("assert response.text", "", {
        "app/models.py":
          'from dataclasses import dataclass\n\n\n@dataclass(frozen=True)\nclass Response:\n    status: int\n\n    def __post_init__(self):\n        object.__setattr__(self, "text", str(self.status))\n',
      }),
    ],
    [
      "of a class whose fields are written as entries",
      read("assert response.text", "", {
        "app/models.py": `${MODEL}\n    def fill(self, value):\n        vars(self)["text"] = value\n`,
      }),
    ],
    [
      "of a class that a function beside it adds to",
      read("assert response.text", "", {
        "app/models.py": `${MODEL}\n\ndef made(value):\n    one = Response(value)\n    object.__setattr__(one, "text", value)\n    vars(one).update(size=1)\n    return one\n`,
      }),
    ],
    [
      "of a decorated class",
      read("assert response.text", "", { "app/models.py": `import attr\n\n\n@attr.s\n${MODEL}` }),
    ],
  ])("is not doubted: %s", async (_, given) => {
    for (const group of await judge(given)) expect(rulesOf(group)).not.toContain("unseen-name");
  });
});

describe("a member of Python and who came to read it", () => {
  it("are one group, though no import ties them: by itself the reader would fail", async () => {
    const groups = await judge({
      head: HEAD,
      now: {
        "app/models.py": WITH_TEXT,
        "tests/test_models.py": test('assert response.text == "200"'),
        "app/other.py": `${OTHER}\n\ndef hidden(text):\n    return len(text)\n`,
      },
      facts: { turns: [COMPLETED] },
    });
    const paths = groups.map(({ changes }) => changes.map(({ change }) => change.path).sort());
    expect(paths.sort()).toEqual([["app/models.py", "tests/test_models.py"], ["app/other.py"]]);
    expect(groups.flatMap(rulesOf)).not.toContain("unseen-name");
  });
});

describe("a member of Python that a class reads of itself", () => {
  const inOwn = (line: string): Case =>
    done(
      {
        "app/__init__.py": PACKAGE,
        "app/models.py": `from . import other\n\n\n${MODEL}`,
        "app/other.py": OTHER,
      },
      {
        "app/models.py": `from . import other\n\n\n${MODEL}\n    @property\n    def size(self):\n        ${line}\n`,
      },
    );

  it("and that nothing here has is doubted", async () => {
    const [group] = await judge(inOwn("return len(self.parts_of_it)"));
    expect(group?.verdict).toBe("unknown");
    const unseen = group?.reasons.find(({ rule }) => rule === "unseen-call");
    expect(unseen?.message).toBe("app/models.py:14 reads .parts_of_it, which nothing here has.");
    expect(unseen?.evidence).toEqual(["app/models.py:14: .parts_of_it"]);
  });

  it.each([
    ["is set there", "self.parts_of_it = 1; return self.parts_of_it"],
    ["is set as it is taken apart", "self.parts_of_it, other = 1, 2; return self.parts_of_it"],
    ["is its own", "return self.content"],
    ["is every object's", "return self.__class__"],
  ])("is not doubted where it %s", async (_, line) => {
    for (const group of await judge(inOwn(line))) expect(rulesOf(group)).not.toContain("unseen-call");
  });
});
