import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const root = new URL("../../", import.meta.url).pathname;

interface Installed {
  code: number | null;
  out: string;
  err: string;
}

/**
 * A fresh clone as the launcher sees it, where `npm` is a script.
 * @param npm what it does after it has noted its arguments; without it it brings this machine's Node.js
 */
function freshClone(npm = bringsNode) {
  const folder = mkdtempSync(join(tmpdir(), "slipway-clone-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clone = join(folder, "a clone");
  const programs = join(folder, "programs");
  for (const one of [clone, programs]) mkdirSync(one);
  for (const name of ["slipway", "package-lock.json"]) cpSync(join(root, name), join(clone, name));
  symlinkSync(join(root, "clients"), join(clone, "clients"));
  symlinkSync(process.execPath, join(programs, "node"));
  for (const name of systemPrograms) symlinkSync(placeOf(name), join(programs, name));
  const calls = join(folder, "calls");
  program("npm", `echo "$@" >>"${calls}"\n${npm}`);

  function program(name: string, script: string): void {
    rmSync(join(programs, name), { force: true });
    writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(programs, name), 0o755);
  }
  return {
    ...{ folder, clone, program },
    remove: (name: string) => rmSync(join(programs, name)),
    /** Arguments of each call of npm. */
    calls: () => (existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : []),
    /** Runs beside others. @returns its exit code */
    start: async (words: string[]): Promise<number> => {
      const env = { PATH: programs, HOME: folder, TMPDIR: folder };
      const [code] = await once(
        spawn("/bin/sh", [join(clone, "slipway"), ...words], { env, stdio: "ignore" }),
        "close",
      );
      return code;
    },
    run: (words: string[], launcher = join(clone, "slipway")): Installed => {
      const env = { PATH: programs, HOME: folder, TMPDIR: folder };
      const { status, stdout, stderr } = spawnSync("/bin/sh", [launcher, ...words], { env, encoding: "utf8" });
      return { code: status, out: stdout, err: stderr };
    },
  };
}

/** What the launcher and the scripts here use beside Node.js and npm. */
const systemPrograms = ["dirname", "head", "ln", "mkdir", "mktemp", "readlink", "rm", "sh", "sleep", "touch", "uname"];

const placeOf = (name: string): string =>
  ["/usr/bin", "/bin"].map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? "";

const bringsNode = [
  "echo 'npm warn EBADENGINE of no use to anybody' >&2",
  "mkdir -p node_modules/.bin",
  `ln -sf "${process.execPath}" node_modules/.bin/node`,
  "touch node_modules/.package-lock.json",
].join("\n");

const production =
  "ci --omit=dev --no-audit --no-fund --loglevel=error --no-update-notifier --fetch-retry-mintimeout=2000 --fetch-retry-maxtimeout=8000";

test("a first command installs what running needs, once, and says no more than that", () => {
  const { run, calls } = freshClone();
  const first = run(["context"]);
  expect(first).toEqual({ code: 0, out: expect.stringMatching(/^ +NAME +ADDRESS/), err: "Installing packages\n" });
  expect(run(["context"])).toEqual({ ...first, err: "" });
  expect(calls()).toEqual([production]);
});

test("packages older than package-lock.json are installed again, those for development only where they were", () => {
  const { run, calls, clone } = freshClone();
  run(["context"]);
  const later = Date.now() / 1000 + 60;
  utimesSync(join(clone, "package-lock.json"), later, later);
  run(["context"]);
  mkdirSync(join(clone, "node_modules/vitest"));
  run(["context"]);
  expect(calls()).toEqual([production, production, production.replace("--omit=dev", "--include=dev")]);
});

test("of commands that begin at the same moment one installs, and a killed one holds up nobody", async () => {
  const { start, calls, clone } = freshClone(`sleep 1\n${bringsNode}`);
  symlinkSync("999999999", join(clone, ".installing"));
  const all = await Promise.all([start(["context"]), start(["context"]), start(["context"])]);
  expect(all).toEqual([0, 0, 0]);
  expect(calls()).toEqual([production]);
  expect(existsSync(join(clone, ".installing"))).toBe(false);
});

test("a link to the launcher finds its clone, from any folder", () => {
  const { run, folder, clone } = freshClone();
  symlinkSync("a clone/slipway", join(folder, "near"));
  mkdirSync(join(folder, "bin"));
  symlinkSync("../near", join(folder, "bin/slipway"));
  expect(run(["context"], join(folder, "bin/slipway"))).toMatchObject({ code: 0 });
  expect(existsSync(join(clone, "node_modules/.bin/node"))).toBe(true);
});

test("completion installs nothing while somebody types", () => {
  const { run, calls } = freshClone();
  expect(run(["complete", "--", "slipway", "st"])).toEqual({ code: 0, out: "", err: "" });
  expect(calls()).toEqual([]);
});

test.each([
  [
    "npm error code ENOTFOUND",
    /npm says:\nnpm error code ENOTFOUND\nnpm does not reach its registry, https:\/\/packages\.test\/: check the network/,
  ],
  ["npm error code ENOSPC", /The disk is full/],
  ["npm error code EACCES", /This user may not write/],
  ["npm error something else", /Run `npm ci` in \S.* to see all/],
])("an install that fails with `%s` says what to do, and is repeated", (said, advice) => {
  const { run, calls } = freshClone(
    `[ "$1" != config ] || { echo https://packages.test/; exit; }\necho '${said}' >&2; exit 1`,
  );
  const failed = run(["context"]);
  expect(failed).toMatchObject({
    code: 1,
    out: "",
    err: expect.stringMatching(/^Installing packages\nslipway: the packages could not be installed/),
  });
  expect(failed.err).toMatch(advice);
  run(["context"]);
  expect(calls().filter((call) => call === production)).toHaveLength(2);
});

test("what is missing or too old is named", () => {
  const { run, program, remove } = freshClone();
  const complaint = () => run(["demo"]).err;
  program("node", "case $1 in -p) echo 18 ;; *) echo v18.20.8 ;; esac");
  expect(complaint()).toMatch(/^slipway: Node\.js v18\.20\.8 is too old: install version 20 or newer/);
  remove("npm");
  expect(complaint()).toMatch(/^slipway: npm is missing: install it/);
  remove("node");
  expect(complaint()).toMatch(/^slipway: Node\.js is missing: install version 20 or newer/);
});
