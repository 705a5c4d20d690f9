import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildImage } from "../../../../../shared/workflows/pods/rules/stepContainer.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "slipway-build-image-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const unanswered =
  'error: failed to solve: failed to do request: Head "http://registry.test/v2/": dial tcp: i/o timeout';

/** Runs the script with a BuildKit whose tries end so, one after the other. */
function built(...tries: [code: number, said: string][]) {
  const cases = tries.map(([code, said], at) => `${at}) echo '${said}'; exit ${code};;`).join("\n");
  const program = join(folder, "buildctl-daemonless.sh");
  writeFileSync(
    program,
    `#!/bin/sh\ntry=$(cat ${folder}/count 2>/dev/null || echo 0)\necho $((try + 1)) > ${folder}/count\necho "$@"\ncase $try in\n${cases}\nesac\n`,
  );
  chmodSync(program, 0o755);
  const env = { PATH: [folder, process.env.PATH].join(delimiter), TMPDIR: folder };
  const { status, stdout } = spawnSync("sh", ["-e", "-c", buildImage, "build", "--opt", "a b"], {
    env,
    encoding: "utf8",
  });
  return { status, lines: stdout.trim().split("\n"), tries: Number(readFileSync(join(folder, "count"), "utf8")) };
}

const begun = "build --progress=plain --opt a b";
const again = "a registry did not answer; the build is tried again";

test("a build that passes ends with all that it said", () => {
  expect(built([0, "done"])).toEqual({ status: 0, lines: [begun, "done"], tries: 1 });
});

test("a registry that did not answer is asked again", () => {
  const lines = [begun, unanswered, again, begun, "done"];
  expect(built([1, unanswered], [0, "done"])).toEqual({ status: 0, lines, tries: 2 });
});

test("one that does not answer three times fails the build", () => {
  const ended = built([1, unanswered], [1, unanswered], [1, unanswered], [0, "never"]);
  expect(ended).toMatchObject({ status: 1, tries: 3 });
  expect(ended.lines.at(-1)).toBe(unanswered);
});

test.each([
  'error: failed to solve: process "/bin/sh -c curl x" did not complete successfully: exit code: 28',
  "error: failed to solve: registry.test/app:1: not found",
  "error: failed to push registry.test/app:1: unexpected status: 401 Unauthorized",
  `#7 ${unanswered}\nerror: failed to solve: process "sh" did not complete successfully: exit code: 1`,
])("a build that fails for another reason fails at once: %s", (said) => {
  expect(built([3, said], [0, "never"])).toMatchObject({ status: 3, tries: 1 });
});
