/** Each manifest of the issue, each way to write a version in it: down speaks, up does not. */
import { describe, expect, it } from "vitest";
import { manifestKindOf } from "./manifest-kinds.ts";
import { readVersions } from "./read-versions.ts";
import type { Versions } from "./tables.ts";
import { loweredVersions } from "./version-order.ts";

type Row = readonly [what: string, was: string, down: string, up: string];

const TABLE: Readonly<Record<string, readonly Row[]>> = {
  "requirements.txt": [
    ["a compatible release", "f~=2.1\n", "f~=2.0\n", "f~=2.2\n"],
    ["a range", "f>=2.1,<3\n", "f>=2.0,<3\n", "f>=2.2,<3\n"],
    ["only a ceiling", "f<3\n", "f<2\n", "f<4\n"],
    [
      "a tag of a repository",
      "f @ git+https://g/a/b@v1.2.0\n",
      "f @ git+https://g/a/b@v1.1.0\n",
      "f @ git+https://g/a/b@v1.3.0\n",
    ],
    [
      "a repository without a name",
      "git+https://g/a/b.git@v1.2.0#egg=f\n",
      "git+https://g/a/b.git@v1.1.0#egg=f\n",
      "git+https://g/a/b.git@v1.3.0#egg=f\n",
    ],
    ["PEP 440: an epoch stands above all", "f==1!1.0\n", "f==2.0\n", "f==1!1.1\n"],
    [
      "extras and a marker",
      'f[x]==1.2 ; python_version < "3"\n',
      'f[x]==1.1 ; python_version < "3"\n',
      'f[x]==1.3 ; python_version < "3"\n',
    ],
    [
      "hashes, and the name written otherwise",
      "Flask_X==1.2 --hash=sha256:aa\n",
      "flask-x==1.1 --hash=sha256:bb\n",
      "flask-x==1.3 --hash=sha256:aa\n",
    ],
    ["PEP 440: development releases", "f==1.2.dev3\n", "f==1.2.dev2\n", "f==1.2a1\n"],
    [
      "hashes on the next line",
      "f==1.2 \\\n  --hash=sha256:aaaa\n",
      "f==1.1 \\\n  --hash=sha256:bbbb\n",
      "f==1.3 \\\n  --hash=sha256:bbbb\n",
    ],
  ],
  "package.json": [
    [
      "a tag of a repository",
      '{"name": "a", "dependencies": {"x": "github:a/b#v2.0.0"}}\n',
      '{"name": "a", "dependencies": {"x": "github:a/b#v1.0.0"}}\n',
      '{"name": "a", "dependencies": {"x": "github:a/b#v2.1.0"}}\n',
    ],
    [
      "another name for a package",
      '{"name": "a", "dependencies": {"x": "npm:y@2.0.0"}}\n',
      '{"name": "a", "dependencies": {"x": "npm:y@1.0.0"}}\n',
      '{"name": "a", "dependencies": {"x": "npm:y@2.1.0"}}\n',
    ],
    [
      "the package manager",
      '{"name": "a", "packageManager": "pnpm@9.0.0"}\n',
      '{"name": "a", "packageManager": "pnpm@8.0.0"}\n',
      '{"name": "a", "packageManager": "pnpm@9.1.0"}\n',
    ],
    [
      "an override inside another",
      '{"name": "a", "overrides": {"z": {"x": "2.0.0"}}}\n',
      '{"name": "a", "overrides": {"z": {"x": "1.0.0"}}}\n',
      '{"name": "a", "overrides": {"z": {"x": "2.1.0"}}}\n',
    ],
    [
      "resolutions",
      '{"name": "a", "resolutions": {"x": "2.0.0"}}\n',
      '{"name": "a", "resolutions": {"x": "1.0.0"}}\n',
      '{"name": "a", "resolutions": {"x": "2.1.0"}}\n',
    ],
    [
      "to a pre-release",
      '{"name": "a", "dependencies": {"x": "2.0.0"}}\n',
      '{"name": "a", "dependencies": {"x": "2.0.0-beta.1"}}\n',
      '{"name": "a", "dependencies": {"x": "2.0.1"}}\n',
    ],
    [
      "a line of versions",
      '{"name": "a", "dependencies": {"x": "2.x"}}\n',
      '{"name": "a", "dependencies": {"x": "1.x"}}\n',
      '{"name": "a", "dependencies": {"x": "3.x"}}\n',
    ],
    [
      "moved among other dependencies",
      '{"name": "a", "dependencies": {"x": "2.0.0"}}\n',
      '{"name": "a", "devDependencies": {"x": "1.0.0"}}\n',
      '{"name": "a", "devDependencies": {"x": "2.1.0"}}\n',
    ],
    [
      "volta",
      '{"name": "a", "volta": {"node": "20.0.0"}}\n',
      '{"name": "a", "volta": {"node": "18.0.0"}}\n',
      '{"name": "a", "volta": {"node": "22.0.0"}}\n',
    ],
    [
      "of this repository",
      '{"name": "a", "dependencies": {"x": "workspace:^2.0.0"}}\n',
      '{"name": "a", "dependencies": {"x": "workspace:^1.0.0"}}\n',
      '{"name": "a", "dependencies": {"x": "workspace:^3.0.0"}}\n',
    ],
    [
      "a range of tags",
      '{"name": "a", "dependencies": {"x": "git+ssh://git@h/a/b.git#semver:^2.0"}}\n',
      '{"name": "a", "dependencies": {"x": "git+ssh://git@h/a/b.git#semver:^1.0"}}\n',
      '{"name": "a", "dependencies": {"x": "git+ssh://git@h/a/b.git#semver:^3.0"}}\n',
    ],
    [
      "an archive",
      '{"name": "a", "dependencies": {"x": "https://h/x-2.0.0.tgz"}}\n',
      '{"name": "a", "dependencies": {"x": "https://h/x-1.0.0.tgz"}}\n',
      '{"name": "a", "dependencies": {"x": "https://h/x-3.0.0.tgz"}}\n',
    ],
  ],
  "Cargo.toml": [
    [
      "of the workspace",
      '[workspace.dependencies]\ns="1.2"\n',
      '[workspace.dependencies]\ns="1.1"\n',
      '[workspace.dependencies]\ns="1.3"\n',
    ],
    [
      "for one target",
      '[target."cfg(unix)".dependencies]\ns="1.2"\n',
      '[target."cfg(unix)".dependencies]\ns="1.1"\n',
      '[target."cfg(unix)".dependencies]\ns="1.3"\n',
    ],
    [
      "a table of its own",
      '[dependencies.s]\nversion="1.2"\n',
      '[dependencies.s]\nversion="1.1"\n',
      '[dependencies.s]\nversion="1.3"\n',
    ],
    [
      "a tag",
      '[dependencies]\ns={git="https://g/a",tag="v1.2"}\n',
      '[dependencies]\ns={git="https://g/a",tag="v1.1"}\n',
      '[dependencies]\ns={git="https://g/a",tag="v1.3"}\n',
    ],
    [
      "the lowest compiler",
      '[package]\nname="a"\nversion="1.0.0"\nrust-version="1.75"\n',
      '[package]\nname="a"\nversion="1.0.0"\nrust-version="1.70"\n',
      '[package]\nname="a"\nversion="1.0.0"\nrust-version="1.80"\n',
    ],
    [
      "for the build",
      '[dev-dependencies]\ns="1.2"\n[build-dependencies]\nt="=2"\n',
      '[dev-dependencies]\ns="1.2"\n[build-dependencies]\nt="=1"\n',
      '[dev-dependencies]\ns="1.3"\n[build-dependencies]\nt="=2"\n',
    ],
    [
      "the edition",
      '[package]\nname="a"\nversion="1.0.0"\nedition="2021"\n',
      '[package]\nname="a"\nversion="1.0.0"\nedition="2018"\n',
      '[package]\nname="a"\nversion="1.0.0"\nedition="2024"\n',
    ],
  ],
  "charts/a/Chart.yaml": [
    [
      "what it installs",
      'name: a\nversion: 1.2.0\nappVersion: "2.4"\n',
      'name: a\nversion: 1.2.0\nappVersion: "2.3"\n',
      'name: a\nversion: 1.2.1\nappVersion: "2.10"\n',
    ],
    [
      "a chart it takes",
      "version: 1.0.0\ndependencies:\n  - name: b\n    version: 3.1.0\n",
      "version: 1.0.0\ndependencies:\n  - name: b\n    version: 3.0.0\n",
      "version: 1.0.0\ndependencies:\n  - name: b\n    version: 3.2.0\n",
    ],
  ],
  "go.mod": [
    [
      "a replacement",
      "module a\ngo 1.22\nreplace x/y => x/z v1.2.0\n",
      "module a\ngo 1.22\nreplace x/y => x/z v1.1.0\n",
      "module a\ngo 1.22\nreplace x/y => x/z v1.3.0\n",
    ],
    [
      "the toolchain",
      "module a\ngo 1.22\ntoolchain go1.22.3\n",
      "module a\ngo 1.22\ntoolchain go1.22.1\n",
      "module a\ngo 1.22\ntoolchain go1.22.5\n",
    ],
    [
      "commits by their time",
      "module a\ngo 1.22\nrequire x/y v0.0.0-20240102000000-aaaaaaaaaaaa // indirect\n",
      "module a\ngo 1.22\nrequire x/y v0.0.0-20230102000000-bbbbbbbbbbbb // indirect\n",
      "module a\ngo 1.22\nrequire x/y v0.0.0-20250102000000-bbbbbbbbbbbb // indirect\n",
    ],
    [
      "the path of an older major version",
      "module a\ngo 1.22\nrequire x/y/v3 v3.0.0\n",
      "module a\ngo 1.22\nrequire x/y/v2 v2.0.0\n",
      "module a\ngo 1.22\nrequire x/y/v3 v3.1.0\n",
    ],
  ],
  Dockerfile: [
    ["3.9 after 3.19", "FROM alpine:3.19.1\n", "FROM alpine:3.9\n", "FROM alpine:3.20\n"],
    [
      "a registry with a port",
      "FROM localhost:5000/x:1.2\n",
      "FROM localhost:5000/x:1.1\n",
      "FROM localhost:5000/x:1.3\n",
    ],
    [
      "an argument",
      "ARG NODE_VERSION=20\nFROM node:$NODE_VERSION\n",
      "ARG NODE_VERSION=18\nFROM node:$NODE_VERSION\n",
      "ARG NODE_VERSION=22\nFROM node:$NODE_VERSION\n",
    ],
    [
      "a file from an image",
      "FROM x\nCOPY --from=node:20 /a /b\n",
      "FROM x\nCOPY --from=node:18 /a /b\n",
      "FROM x\nCOPY --from=node:22 /a /b\n",
    ],
    ["small letters", "from node:20 as b\n", "from node:18 as b\n", "from node:22 as b\n"],
    [
      "with a digest",
      "FROM node:20@sha256:aaaa\n",
      "FROM node:18@sha256:bbbb\n",
      "FROM node:22@sha256:bbbb\n",
    ],
    [
      "a variable",
      "FROM debian:bookworm\nENV NODE_VERSION=20.1.0\n",
      "FROM debian:bookworm\nENV NODE_VERSION=18.1.0\n",
      "FROM debian:bookworm\nENV NODE_VERSION=22.1.0\n",
    ],
    [
      "one stage of several",
      "FROM node:20 AS a\nFROM node:20 AS b\n",
      "FROM node:20 AS a\nFROM node:18 AS b\n",
      "FROM node:20 AS a\nFROM node:22 AS b\n",
    ],
  ],
  ".github/workflows/ci.yml": [
    [
      "a reusable workflow",
      "on: push\njobs:\n  a:\n    uses: o/r/.github/workflows/x.yml@v2\n",
      "on: push\njobs:\n  a:\n    uses: o/r/.github/workflows/x.yml@v1\n",
      "on: push\njobs:\n  a:\n    uses: o/r/.github/workflows/x.yml@v3\n",
    ],
    [
      "a container",
      "on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    container: node:20\n    steps: [{run: ls}]\n",
      "on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    container: node:18\n    steps: [{run: ls}]\n",
      "on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    container: node:22\n    steps: [{run: ls}]\n",
    ],
    [
      "the runner",
      "on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps: [{run: ls}]\n",
      "on: push\njobs:\n  a:\n    runs-on: ubuntu-22.04\n    steps: [{run: ls}]\n",
      "on: push\njobs:\n  a:\n    runs-on: ubuntu-26.04\n    steps: [{run: ls}]\n",
    ],
    [
      "a service",
      'on: push\njobs:\n  a:\n    runs-on: u\n    services: {pg: {image: "postgres:16"}}\n    steps: [{run: ls}]\n',
      'on: push\njobs:\n  a:\n    runs-on: u\n    services: {pg: {image: "postgres:14"}}\n    steps: [{run: ls}]\n',
      'on: push\njobs:\n  a:\n    runs-on: u\n    services: {pg: {image: "postgres:17"}}\n    steps: [{run: ls}]\n',
    ],
    [
      "an image as a step",
      'on: push\njobs:\n  a:\n    runs-on: u\n    steps: [{uses: "docker://node:20"}]\n',
      'on: push\njobs:\n  a:\n    runs-on: u\n    steps: [{uses: "docker://node:18"}]\n',
      'on: push\njobs:\n  a:\n    runs-on: u\n    steps: [{uses: "docker://node:22"}]\n',
    ],
    [
      "a commit with its version beside it",
      "on: push\njobs:\n  a:\n    runs-on: u\n    steps:\n      - uses: a/b@0123456789012345678901234567890123456789 # v4.2.0\n",
      "on: push\njobs:\n  a:\n    runs-on: u\n    steps:\n      - uses: a/b@1123456789012345678901234567890123456789 # v4.1.0\n",
      "on: push\njobs:\n  a:\n    runs-on: u\n    steps:\n      - uses: a/b@1123456789012345678901234567890123456789 # v4.3.0\n",
    ],
    [
      "a matrix",
      "on: push\njobs:\n  a:\n    runs-on: u\n    strategy: {matrix: {node: [20, 22]}}\n    steps: [{run: ls}]\n",
      "on: push\njobs:\n  a:\n    runs-on: u\n    strategy: {matrix: {node: [18, 20]}}\n    steps: [{run: ls}]\n",
      "on: push\njobs:\n  a:\n    runs-on: u\n    strategy: {matrix: {node: [22, 24]}}\n    steps: [{run: ls}]\n",
    ],
    [
      "one step of several",
      "steps:\n- uses: a/b@v4\n- uses: a/b@v4\n",
      "steps:\n- uses: a/b@v4\n- uses: a/b@v3\n",
      "steps:\n- uses: a/b@v4\n- uses: a/b@v5\n",
    ],
    [
      "a tool, 3.9 after 3.10",
      "with: { python-version: 3.10 }\n",
      "with: { python-version: 3.9 }\n",
      "with: { python-version: 3.11 }\n",
    ],
  ],
  ".pre-commit-config.yaml": [
    [
      "a dependency of a hook",
      'repos:\n- repo: https://g/r\n  rev: v1\n  hooks: [{id: a, additional_dependencies: ["mypy==1.2"]}]\n',
      'repos:\n- repo: https://g/r\n  rev: v1\n  hooks: [{id: a, additional_dependencies: ["mypy==1.1"]}]\n',
      'repos:\n- repo: https://g/r\n  rev: v1\n  hooks: [{id: a, additional_dependencies: ["mypy==1.3"]}]\n',
    ],
  ],
  "pyproject.toml": [
    [
      "the lowest Python",
      '[project]\nname="a"\nrequires-python=">=3.11"\n',
      '[project]\nname="a"\nrequires-python=">=3.9"\n',
      '[project]\nname="a"\nrequires-python=">=3.12"\n',
    ],
    [
      "of the build",
      '[build-system]\nrequires=["setuptools>=61"]\n',
      '[build-system]\nrequires=["setuptools>=60"]\n',
      '[build-system]\nrequires=["setuptools>=62"]\n',
    ],
    [
      "optional",
      '[project]\nname="a"\n[project.optional-dependencies]\nx=["f==1.2"]\n',
      '[project]\nname="a"\n[project.optional-dependencies]\nx=["f==1.1"]\n',
      '[project]\nname="a"\n[project.optional-dependencies]\nx=["f==1.3"]\n',
    ],
    [
      "a group of poetry",
      '[tool.poetry.group.dev.dependencies]\nf={version="^1.2",extras=["a"]}\n',
      '[tool.poetry.group.dev.dependencies]\nf={version="^1.1",extras=["a"]}\n',
      '[tool.poetry.group.dev.dependencies]\nf={version="^1.3",extras=["a"]}\n',
    ],
    [
      "for development, uv",
      '[tool.uv]\ndev-dependencies=["f==1.2"]\n',
      '[tool.uv]\ndev-dependencies=["f==1.1"]\n',
      '[tool.uv]\ndev-dependencies=["f==1.3"]\n',
    ],
    [
      "for development, poetry",
      '[tool.poetry.dev-dependencies]\nf="1.2"\n',
      '[tool.poetry.dev-dependencies]\nf="1.1"\n',
      '[tool.poetry.dev-dependencies]\nf="1.3"\n',
    ],
    [
      "a source of uv",
      '[tool.uv.sources]\nf={git="https://g/f",tag="v1.2"}\n',
      '[tool.uv.sources]\nf={git="https://g/f",tag="v1.1"}\n',
      '[tool.uv.sources]\nf={git="https://g/f",tag="v1.3"}\n',
    ],
  ],
  "web.Dockerfile": [["named by what it builds", "FROM node:20\n", "FROM node:18\n", "FROM node:22\n"]],
  "requirements.in": [["what pip-compile reads", "a==1.10\n", "a==1.9\n", "a==1.11\n"]],
};

function versionsOf(path: string, text: string): Versions {
  const kind = manifestKindOf(path);
  if (kind === null) throw new Error(`${path} is no manifest`);
  return readVersions(kind, text);
}

for (const [path, rows] of Object.entries(TABLE))
  describe(`a version in ${path}`, () => {
    it.each(rows)("that goes down is seen, one that goes up is not: %s", (_, was, down, up) => {
      expect(loweredVersions(versionsOf(path, was), versionsOf(path, down))).toHaveLength(1);
      expect(loweredVersions(versionsOf(path, was), versionsOf(path, up))).toEqual([]);
    });
  });

describe("two versions that cannot be compared", () => {
  it("say nothing: another source, another kind of bound, a commit", () => {
    for (const [was, is] of [
      ["npm:x@2.0.0", "npm:y@1.0.0"],
      ["github:a/b#v2.0.0", "github:a/c#v1.0.0"],
      ["<3", ">=2"],
      ["workspace:*", "workspace:^1.0.0"],
      ["github:a/b#main", "github:a/b#v1.0.0"],
    ] as const)
      expect(loweredVersions({ x: was }, { x: is })).toEqual([]);
  });
});
