// Pieces of work, each whole in itself and unlike the others (a copy of what is there is doubted as a half-done move): new modules with
// what uses them, in the languages that people use, by seed and session.
import { createHash } from "node:crypto";

/** Numbers in [0, 1) that only the text decides. */
export function randomOf(text) {
  let at = 0;
  return () => {
    const bytes = createHash("sha256").update(`${text} ${at++}`).digest();
    return bytes.readUInt32BE(0) / 2 ** 32;
  };
}

/** As often as people have them here: languages whose references are followed, pages and data, now and then one that is only parsed. */
const KINDS = [
  [
    "js",
    6,
    (n) => [
      [`src/f${n}.js`, `export function double${n}(x) {\n  const y = x * 2;\n  return y + 1;\n}\n`],
      [
        `src/f${n}b.js`,
        `import { double${n} } from "./f${n}.js";\n\nexport function more${n}(x) {\n  return double${n}(x) + 2;\n}\n`,
      ],
    ],
  ],
  [
    "ts",
    3,
    (n) => [
      [
        `src/t${n}.ts`,
        `export interface Shape${n} {\n  readonly width: number;\n}\n\nexport const area${n} = ({ width }: Shape${n}): number => width * width;\n`,
      ],
      [
        `src/t${n}.test.ts`,
        `import { area${n} } from "./t${n}.js";\n\nif (area${n}({ width: 2 }) !== 4) throw new Error("area");\n`,
      ],
    ],
  ],
  [
    "python",
    4,
    (n) => [
      [`tools/p${n}.py`, `def halve${n}(x):\n    """Half of it, rounded down."""\n    return x // 2\n`],
      [
        `tools/p${n}_use.py`,
        `from p${n} import halve${n}\n\n\ndef quarter${n}(x):\n    return halve${n}(halve${n}(x))\n`,
      ],
    ],
  ],
  [
    "go",
    3,
    (n) => [
      [
        `pkg${n}/a.go`,
        `package pkg${n}\n\n// Scale${n} makes it larger.\nfunc Scale${n}(n int) int {\n\tscaled := n * ${n}\n\treturn scaled + ${n + 1}\n}\n`,
      ],
      [
        `pkg${n}/a_test.go`,
        `package pkg${n}\n\nimport "testing"\n\nfunc TestScale${n}(t *testing.T) {\n\tif got := Scale${n}(2); got != ${3 * n + 1} {\n\t\tt.Fatal("scale ${n}", got)\n\t}\n}\n`,
      ],
    ],
  ],
  [
    "page",
    2,
    (n) => [
      [
        `docs/page${n}.md`,
        `# Page ${n}\n\nWhat it is about, in a sentence.\n\n## More\n\nAnd what follows from that.\n`,
      ],
    ],
  ],
  ["data", 1, (n) => [[`data/d${n}.json`, `{\n  "number": ${n},\n  "words": ["one", "two"]\n}\n`]]],
  [
    "java",
    1,
    (n) => [[`java/A${n}.java`, `class A${n} {\n  int twice(int n) {\n    return n * 2;\n  }\n}\n`]],
  ],
];

const MOST_PIECES = 3;

export function piecesOf(seed, session) {
  const random = randomOf(`pieces ${seed} ${session}`);
  const many = 1 + Math.floor(random() * MOST_PIECES);
  const all = KINDS.flatMap((kind) => Array.from({ length: kind[1] }, () => kind));
  return Array.from({ length: many }, (_, at) => {
    const [kind, , filesOf] = all[Math.floor(random() * all.length)];
    const n = session * 10 + at;
    const files = filesOf(n).map(([path, text]) => ({ path, text }));
    return { label: `piece ${n}`, kind, files };
  });
}
