// Manifests in which a version goes down, beside the finished work.
import semver from "semver";

const PLAIN = {
  ".pre-commit-config.yaml": (v) =>
    `repos:\n  - repo: https://github.com/astral-sh/ruff-pre-commit\n    rev: v${v}\n    hooks:\n      - id: ruff\n`,
  "requirements.txt": (v) => `requests==2.32.0\nruff==${v}\nmypy>=1.8\n`,
  "pyproject.toml": (v) =>
    `[project]\nname = "work"\nversion = "1.0.0"\ndependencies = ["ruff>=${v}", "rich"]\n`,
  "Cargo.toml": (v) =>
    `[package]\nname = "work"\nversion = "1.0.0"\n\n[dependencies]\nserde = "${v}"\ntokio = { version = "1.40.0" }\n`,
  "go.mod": (v) => `module example.com/work\n\ngo 1.22\n\nrequire (\n\tgithub.com/spf13/cobra v${v}\n)\n`,
  Dockerfile: (v) => `FROM node:${v}-slim\nWORKDIR /app\nCOPY . .\n`,
  ".github/workflows/ci.yml": (v) =>
    `on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v${v}\n`,
};

export function configDowngraded(pair, random) {
  const now = new Map(pair.changed.map((path) => [path, pair.after.get(path) ?? null]));
  const manifest = random.next() < 0.5 ? loweredPackage(pair, random) : null;
  if (manifest) return { now: now.set("package.json", manifest), damaged: ["package.json"] };
  const [path, write] = random.pick(Object.entries(PLAIN));
  const [major, minor, patch] = [1 + random.below(20), random.below(20), random.below(20)];
  const [high, low] = [`${major + random.below(2)}.${minor + 1}.${patch}`, `${major}.${minor}.${patch}`];
  const before = new Map(pair.before).set(path, Buffer.from(write(high)));
  return { before, now: now.set(path, Buffer.from(write(low))), damaged: [path] };
}

/** One of the dependencies it had, one step lower. */
function loweredPackage(pair, random) {
  const [was, is] = [pair.before, pair.after].map((tree) => tree.get("package.json")?.toString());
  if (was === undefined || is === undefined) return null;
  const old = JSON.parse(was);
  const fresh = JSON.parse(is);
  const names = Object.entries(old.dependencies ?? {}).filter(([, range]) =>
    /^[\^~]?\d+\.\d+\.\d+$/.test(range),
  );
  const one = random.pick(names);
  if (one === undefined) return null;
  const [name, range] = one;
  const { major, minor, patch } = semver.minVersion(range);
  const lower =
    minor > 0
      ? `${major}.${minor - 1}.${patch}`
      : major > 0
        ? `${major - 1}.9.0`
        : patch > 0
          ? `0.0.${patch - 1}`
          : null;
  if (lower === null) return null;
  fresh.dependencies = { ...fresh.dependencies, [name]: `${/^[\^~]/.exec(range)?.[0] ?? ""}${lower}` };
  return Buffer.from(`${JSON.stringify(fresh, null, 2)}\n`);
}
