/** A model without its migration: nothing in the bytes shows it, so no word makes it safe; an ended operation and a check do. */
import { describe, expect, it } from "vitest";
import { type Case, COMPLETED, DONE, groupOf, judge, rulesOf } from "../../../test/support/triage-facts.ts";

const model = (fields: string): string => `export const fields = [${fields}];\nexport const last = 1;\n`;
const HEAD = { "app/models/user.js": model('"name"'), "app/migrations/1.sql": "create table a (b int);\n" };
const NOW = { "app/models/user.js": model('"name", "age"') };
const RULE = "unmigrated-model";
const verdicts = async (given: Case): Promise<string[]> => (await judge(given)).map(({ verdict }) => verdict);
const rules = async (given: Case): Promise<string[]> => (await judge(given)).flatMap(rulesOf);
const said = { turns: [COMPLETED] };

describe("a model that changed without a migration (S3)", () => {
  it("is not safe on the agent's word", async () => {
    const groups = await judge({ head: HEAD, now: NOW, facts: DONE });
    expect(groups.map(({ verdict }) => verdict)).toEqual(["unknown"]);
    expect(groups.flatMap(rulesOf)).toContain(RULE);
  });

  it("is safe where an operation was ended by its author, whose capture has these very bytes", async () => {
    const seenAtEnds = { "app/models/user.js": ["op"] };
    expect(await verdicts({ head: HEAD, now: NOW, seenAtEnds, facts: DONE })).toEqual(["safe"]);
  });

  it.each([
    ["its migration came with it", { ...HEAD }, { ...NOW, "app/migrations/2.sql": "alter table a add c;\n" }],
    ["nothing here is changed by migrations", { "app/models/user.js": HEAD["app/models/user.js"] }, NOW],
    [
      "a test of it changed",
      { ...HEAD, "tests/models/user.js": model("1") },
      { "tests/models/user.js": model("2") },
    ],
  ])("says nothing where %s", async (_, head, now) => {
    expect(await rules({ head, now, facts: DONE })).not.toContain(RULE);
  });
});

/** How each of the mappers declares a column: a file, the same with one more, and the same with other code. */
const MAPPERS: readonly (readonly [
  name: string,
  path: string,
  head: string,
  model: string,
  other: string,
])[] = [
  [
    "Django",
    "shop/goods.py",
    "class Good(models.Model):\n    name = models.CharField(\n        max_length=10,\n    )\n\n    def title(self):\n        return self.name\n",
    "class Good(models.Model):\n    name = models.CharField(\n        max_length=20,\n    )\n\n    def title(self):\n        return self.name\n",
    "class Good(models.Model):\n    name = models.CharField(\n        max_length=10,\n    )\n\n    def title(self):\n        return self.name.upper()\n",
  ],
  [
    "SQLAlchemy",
    "shop/goods.py",
    "class Good(Base):\n    id = Column(Integer)\n    def a(self):\n        return 1\n",
    "class Good(Base):\n    id = Column(Integer)\n    size: Mapped[int]\n    def a(self):\n        return 1\n",
    "class Good(Base):\n    id = Column(Integer)\n    def a(self):\n        return 2\n",
  ],
  [
    "Drizzle",
    "src/goods.ts",
    'export const goods = pgTable("goods", {\n  id: text("id"),\n});\nexport const one = 1;\n',
    'export const goods = pgTable("goods", {\n  id: text("id"),\n  size: integer("size"),\n});\nexport const one = 1;\n',
    'export const goods = pgTable("goods", {\n  id: text("id"),\n});\nexport const one = 2;\n',
  ],
  [
    "TypeORM",
    "src/goods.ts",
    "export class Good {\n  @Column()\n  name: string;\n\n  a() {\n    return 1;\n  }\n}\n",
    "export class Good {\n  @Column()\n  name: string | null;\n\n  a() {\n    return 1;\n  }\n}\n",
    "export class Good {\n  @Column()\n  name: string;\n\n  a() {\n    return 2;\n  }\n}\n",
  ],
  [
    "tags of Go's structs",
    "store/good.go",
    'package store\n\ntype Good struct {\n\tID int `xorm:"pk"`\n}\n\nfunc one() int {\n\treturn 1\n}\n',
    'package store\n\ntype Good struct {\n\tID int `xorm:"pk"`\n\tSize int `xorm:"size"`\n}\n\nfunc one() int {\n\treturn 1\n}\n',
    'package store\n\ntype Good struct {\n\tID int `xorm:"pk"`\n}\n\nfunc one() int {\n\treturn 2\n}\n',
  ],
  [
    "Diesel",
    "src/good.rs",
    "#[derive(Clone, Queryable)]\npub struct Good {\n    pub id: i32,\n}\n\npub fn one() -> i32 {\n    1\n}\n",
    "#[derive(Clone, Queryable)]\npub struct Good {\n    pub id: i32,\n    pub size: i32,\n}\n\npub fn one() -> i32 {\n    1\n}\n",
    "#[derive(Clone, Queryable)]\npub struct Good {\n    pub id: i32,\n}\n\npub fn one() -> i32 {\n    2\n}\n",
  ],
  [
    "JPA",
    "src/main/java/Good.java",
    "@Entity\nclass Good {\n  private long id;\n\n  int one() {\n    return 1;\n  }\n}\n",
    "@Entity\nclass Good {\n  private long id;\n  private int size;\n\n  int one() {\n    return 1;\n  }\n}\n",
    "@Entity\nclass Good {\n  private long id;\n\n  int one() {\n    return 2;\n  }\n}\n",
  ],
  [
    "SQL in a source",
    "src/store.py",
    'def a(db):\n    return db.run("SELECT id FROM goods WHERE id = 1")\n',
    'def a(db):\n    return db.run("SELECT id, weight FROM goods WHERE id = 1")\n',
    "def a(db):\n    return db.run(\"SELECT id, size FROM goods g WHERE g.id = :wanted AND name = 'x'\")\n",
  ],
];
/** Statements are put together of columns, and models come from packages. */
const PIECES: readonly (readonly [name: string, path: string, head: string, now: string])[] = [
  [
    "a column alone in its marks",
    "store/memo.go",
    'package store\n\nvar fields = []string{"`id`", "`name`"}\n',
    'package store\n\nvar fields = []string{"`id`", "`name`", "`weight`"}\n',
  ],
  [
    "a model of a package's",
    "shop/goods.py",
    "from django.db import models\nfrom docs import Document\n\nx = Document\n",
    "from django.db import models\nfrom docs import Document\n\n\nclass Own(Document):\n    pass\n\n\nx = Document\n",
  ],
];
const KEEPS = {
  "pyproject.toml": '[project]\nname = "a"\n',
  "db/migrations/1.sql": "CREATE TABLE goods (id int, name text, size int);\n",
};

describe.each(MAPPERS)("tables as %s declares them (S3)", (_, path, head, changed, other) => {
  const given = (now: Case["now"]): Case => ({ head: { ...KEEPS, [path]: head }, now, facts: said });

  it("are in doubt where they changed without a migration", async () => {
    const found = await judge(given({ [path]: changed }));
    const reason = found[0]?.reasons.find(({ rule }) => rule === RULE);
    expect(reason?.evidence.join(" ")).toContain(path);
    expect(reason?.evidence.join(" ")).toMatch(
      /: (?:name|size|goods|Size|Good|its SQL) |: its SQL came to name weight/,
    );
    expect(found.map(({ verdict }) => verdict)).toEqual(["unknown"]);
  });

  it("are not where the code beside them changed, or the migration came, too", async () => {
    expect(await rules(given({ [path]: other }))).not.toContain(RULE);
    const both = { [path]: changed, "db/migrations/2.sql": "ALTER TABLE goods ADD COLUMN weight int;\n" };
    const groups = await judge(given(both));
    expect(groups.flatMap(rulesOf)).not.toContain(RULE);
    expect(groups).toHaveLength(1);
  });
});

describe("a table that is told by little (S3)", () => {
  it.each(PIECES)("%s is in doubt without a migration", async (_, path, head, now) => {
    const given = { head: { ...KEEPS, [path]: head }, now: { [path]: now }, facts: said };
    expect(await rules(given)).toContain(RULE);
  });
});

describe("what was written in the same session as a model without its migration (S3)", () => {
  const head = {
    ...KEEPS,
    "src/goods.ts": 'export const goods = pgTable("goods", { id: text("id") });\n',
    "src/form.ts": "export const a = 1;\nexport const b = 2;\n",
    "page.md": "# A\n\nText.\n",
  };
  const now = {
    "src/goods.ts": 'export const goods = pgTable("goods", { id: text("id"), size: text("size") });\n',
    "src/form.ts": "export const a = 1;\nexport const b = 3;\n",
    "page.md": "# A\n\nAnother text.\n",
  };

  it("is not safe on the same word, and says of which model; a page is", async () => {
    const groups = await judge({ head, now, facts: said });
    expect(groupOf(groups, "src/form.ts").verdict).toBe("unknown");
    expect(
      groupOf(groups, "src/form.ts")
        .reasons.map(({ message }) => message)
        .join(" "),
    ).toContain(
      "src/form.ts was written in the same session as src/goods.ts, which changed without a migration.",
    );
    expect(groupOf(groups, "page.md").verdict).toBe("safe");
  });

  it("is as it was where the model is somebody else's", async () => {
    const groups = await judge({ head, now, owners: { "src/goods.ts": "other" }, facts: said });
    expect(groupOf(groups, "src/form.ts").verdict).toBe("safe");
  });
});
