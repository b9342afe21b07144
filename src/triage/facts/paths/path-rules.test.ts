/** Which paths are configuration, whatever they are spelt like. */
import { describe, expect, it } from "vitest";
import { pathClasses } from "./path-classes.ts";
import { NO_PATH_RULES } from "./path-rules.ts";

const { isConfig, isJudge } = pathClasses(NO_PATH_RULES);

describe("configuration that runs by itself is never taken for data that only has to parse (S3)", () => {
  it.each(
    `.appveyor.yml appveyor.yml appveyor.yaml .appveyor.yaml azure-pipelines.yml .azure-pipelines/build.yml azure-pipelines-pr.yaml
    .travis.yml .travis.yaml .drone.yml .drone.yaml .drone.star .circleci/config.yml circle.yml bitbucket-pipelines.yml
    bitbucket-pipelines.yaml cloudbuild.yaml cloudbuild.json .woodpecker.yml .woodpecker/test.yaml .buildkite/pipeline.yml wercker.yml
    codemagic.yaml .gitlab-ci.yml .gitlab-ci.yaml ci/test.gitlab-ci.yml .gitlab/ci.yml Jenkinsfile Jenkinsfile.release .cirrus.yml .cirrus.star
    buildspec.yml appspec.yml Procfile Procfile.dev netlify.toml vercel.json tox.ini noxfile.py .pre-commit-config.yaml
    .pre-commit-config.yml .pre-commit-hooks.yml .github/dependabot.yml dependabot.yml renovate.json renovate.json5 .renovaterc
    .goreleaser.yaml .releaserc.json codecov.yml .codecov.yml .readthedocs.yaml render.yml wrangler.toml serverless.yml pnpm-workspace.yml
    .coveragerc .flake8 .mocharc.yml .stylelintrc.json lefthook-local.yml .lefthook.yml .devcontainer.json packages/a/.travis.yml`.split(
      /\s+/,
    ),
  )("%s", (path) => {
    expect(isConfig(path)).toBe(true);
  });

  it.each(
    "src/travis.ts docs/appveyor.md src/procfile.py data/vercel.json5 src/renovate.ts tests/tox_test.py circle.svg src/cirrus/a.js README.md".split(
      " ",
    ),
  )("not so: %s", (path) => {
    expect(isConfig(path)).toBe(false);
  });

  it("hooks judge, under every name their tools look for (T2)", () => {
    expect(
      [".lefthook.yml", "lefthook-local.yaml", ".overcommit.yml"].filter((path) => !isJudge(path)),
    ).toEqual([]);
  });
});
