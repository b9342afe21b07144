/** Python: members and names that nothing has keep half of a work from being safe; what a program writes, and other people's modules, do not. */
import { describe, expect, it } from "vitest";
import { type Case, COMPLETED, judge, rulesOf, type Tree } from "../../../test/support/triage-facts.ts";

/** An agent that says it is done, all of whose edits are on record. */
const said = (head: Tree, now: Case["now"]): Case => ({
  head,
  now,
  asWritten: Object.keys(now),
  facts: { turns: [COMPLETED] },
});
const rules = async (given: Case): Promise<string[]> => (await judge(given)).flatMap(rulesOf);
const verdicts = async (given: Case): Promise<string[]> => (await judge(given)).map(({ verdict }) => verdict);

const SHOP = {
  "shop/__init__.py": "",
  "shop/models.py":
    "class Image:\n    def __init__(self, file):\n        self.file = file\n\n    def open_file(self):\n        return self.file\n\n\nLAST = 1\n",
};
const VIEW =
  "from shop.models import Image\n\n\ndef add(request, image):\n    image.open_file()\n    return image\n";
const call = (line: string): string => VIEW.replace("    return image\n", `    ${line}\n    return image\n`);

describe("Python: a member that nothing has (S3)", () => {
  it.each([
    ["a method of a parameter", { "shop/views.py": call("image._set_file_hash(1)") }],
    [
      "one that is kept to itself, of a value that came through another's function",
      {
        "shop/views.py": `from django import get\n${call("image = get(Image); image._set_file_hash(1)")}`,
      },
    ],
    ["one of what a module here gives", { "shop/views.py": call("Image(1).measure_all()") }],
    [
      "one of a field that a test was given",
      {
        "shop/tests.py":
          "from shop.base import ShopTest\nfrom shop.models import Image\n\n\nclass ProjectTest(ShopTest):\n    def test_it(self):\n        self.assertFalse(self.project.have_broken_channels())\n        return Image\n",
      },
    ],
    [
      "one of its own class, which takes nothing from elsewhere",
      {
        "shop/own.py":
          "from shop.models import Image\n\n\nclass Album:\n    def first(self):\n        return self.sorted_images(Image)\n\n\nLAST = Album()\n",
      },
    ],
  ])("%s is a doubt", async (_, now) => {
    const given = said(
      { ...SHOP, "shop/views.py": VIEW, "shop/base.py": "class ShopTest:\n    a = 1\n" },
      now,
    );
    expect(await rules(given)).toContain("unseen-call");
    expect(await verdicts(given)).not.toContain("safe");
  });

  it.each([
    [
      "where the group has it",
      call("image.rotate_all()"),
      { "shop/models.py": SHOP["shop/models.py"].replace("open_file", "rotate_all") },
    ],
    ["where it is set beside it", call("image.rotate_all = 1; image.rotate_all()"), {}],
    ["of what Python has", call("request.strip().casefold()"), {}],
    [
      "of what another's module gives",
      `import numpy as np\n${call("np.asarray(image).swapaxes_of_it()")}`,
      {},
    ],
    [
      "of what is made of another's",
      `from PIL import Image as Pil\n${call("made = Pil.open(image); made.quantize_all()")}`,
      {},
    ],
    ["of a builtin's", call('opened = open("a"); opened.unheard_of()'), {}],
  ])("is none %s", async (_, view, more) => {
    const given = said({ ...SHOP, "shop/views.py": VIEW }, { "shop/views.py": view, ...more });
    expect(await rules(given)).not.toContain("unseen-call");
  });

  it("is none of `self` where the class is one of another's", async () => {
    const view =
      "from django.views import View\nfrom shop.models import Image\n\n\nclass Add(View):\n    def get(self):\n        return self.unheard_of_it(Image)\n\n\nLAST = Add\n";
    expect(await rules(said(SHOP, { "shop/views.py": view }))).not.toContain("unseen-call");
  });
});

describe("Python: a method that came, and who came to call it on a value", () => {
  const models = SHOP["shop/models.py"].replace(
    "\n\nLAST",
    "\n    def _set_file_hash(self, one):\n        self.hash = one\n\n\nLAST",
  );
  const view = "def add(image):\n    image._set_file_hash(1)\n    return image\n\n\nLAST = add\n";
  const head = { ...SHOP, "shop/views.py": view.replace("    image._set_file_hash(1)\n", "") };

  it("are one group, though no import ties them: the caller alone would fail", async () => {
    const groups = await judge(said(head, { "shop/models.py": models, "shop/views.py": view }));
    expect(groups.map(({ verdict, changes }) => [verdict, changes.length])).toEqual([["safe", 2]]);
  });

  it("are two where the method was there before", async () => {
    const now = { "shop/models.py": `${models}MORE = 2\n`, "shop/views.py": view };
    expect(await judge(said({ ...head, "shop/models.py": models }, now))).toHaveLength(2);
  });
});

describe("Python: a name that nothing defines (S3)", () => {
  it("keeps half of a change from being safe, and says the line", async () => {
    const text = "from shop.models import Image\n\n\nclass Page:\n    image = Image\n\n\nLAST = Page\n";
    const half = text.replace(
      "    image = Image\n",
      "    image = Image\n    category = EventCategory(image)\n",
    );
    const groups = await judge(said({ ...SHOP, "shop/pages.py": text }, { "shop/pages.py": half }));
    const loose = groups.flatMap(({ reasons }) => reasons).find(({ rule }) => rule === "loose-names");
    expect(loose?.message).toBe("shop/pages.py:6 uses EventCategory, which nothing defines.");
    expect(groups.map(({ verdict }) => verdict)).toEqual(["unknown"]);
  });

  it("is not said of one that was not defined before either", async () => {
    const text = "def f():\n    return injected\n\n\nLAST = f\n";
    const given = said({ "a.py": text }, { "a.py": text.replace("return injected", "return [injected]") });
    expect(await rules(given)).not.toContain("loose-names");
  });
});

const DJANGO =
  "from django.db import migrations, models\n\n\nclass Migration(migrations.Migration):\n    dependencies = [('shop', '0001')]\n    operations = [\n        migrations.CreateModel(\n            name='EventCategory',\n            fields=[('name', models.CharField(max_length=255))],\n        ),\n    ]\n";

describe("Python: migrations", () => {
  it("one that makes a table for a model that nothing has is a doubt", async () => {
    const given = said(SHOP, { "shop/migrations/0002_category.py": DJANGO });
    expect(await rules(given)).toContain("unmodelled-migration");
    expect(await verdicts(given)).toEqual(["unknown"]);
  });

  it("one that came with its model is not", async () => {
    const models = `from django.db import models\n\n\nclass EventCategory(models.Model):\n    name = models.CharField(max_length=255)\n\n\nLAST = 1\n`;
    const given = said(
      { "shop/__init__.py": "", "shop/models.py": "LAST = 1\n", "shop/migrations/0001.py": "A = 1\n" },
      { "shop/models.py": models, "shop/migrations/0002_category.py": DJANGO },
    );
    expect(await rules(given)).not.toContain("unmodelled-migration");
  });

  const ALEMBIC = (id: string): string =>
    `"""add a column\n\nRevision ID: ${id}\n"""\nfrom alembic import op\nimport sqlalchemy as sa\n\nrevision = "${id}"\ndown_revision = "1"\n\n\ndef upgrade():\n    op.execute("alter table a add b int")\n\n\ndef downgrade():\n    op.execute("alter table a drop b")\n`;

  it("what a program writes into one is no doubt: likeness, an import that nothing uses, that nothing names it", async () => {
    const head = {
      "app/alembic/__init__.py": "",
      "app/__init__.py": "",
      "app/alembic/versions/1_.py": ALEMBIC("1"),
      "requirements.txt": "alembic\nsqlalchemy\n",
    };
    const given = said(head, { "app/alembic/versions/2_.py": ALEMBIC("2") });
    const found = await rules(given);
    for (const rule of ["half-moved", "loose-names", "unused-file", "missing-export"])
      expect(found).not.toContain(rule);
  });
});

describe("Python: a module of the same name inside of a package (Python 3)", () => {
  const HEAD = {
    "app/__init__.py": "",
    "app/typing.py": "Table = dict\n",
    "app/tasks.py": "def run(a):\n    return a\n\n\nLAST = 1\n",
  };
  const now = (line: string): Case["now"] => ({
    "app/tasks.py": `${line}\n\n\ndef run(a):\n    return NamedTuple(a)\n\n\nLAST = 1\n`,
  });

  it("is not what an import means that wants what it does not have", async () => {
    expect(await verdicts(said(HEAD, now("from typing import NamedTuple")))).toEqual(["safe"]);
  });

  it("is what a relative one means", async () => {
    expect(await rules(said(HEAD, now("from .typing import NamedTuple")))).toContain("missing-export");
  });
});
