import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { namespacesAllowed } from "../../../../infra/local/cluster/pods/isolation.ts";
import { eventually, type Harness, startHarness } from "./harness.ts";
import { field } from "./rawClient.ts";

const mark = "a-marked-text-of-this-machine";
const jobs = "/apis/batch/v1/namespaces/default/jobs";

/** Not below /tmp, which containers have of their own anyway. */
const machine = mkdtempSync("/var/tmp/slipway-hidden-");
const [data, home, open] = ["data", "home", "open"].map((name) => join(machine, name)) as [string, string, string];
const homeBefore = process.env.HOME;
let harness: Harness;

const skip = !namespacesAllowed();
if (skip)
  console.warn("SKIPPED: what scripts of the sandbox see. `unshare` cannot make user and mount namespaces here.");

beforeAll(async () => {
  for (const folder of [data, home, open, join(home, ".ssh"), join(data, "sandbox")])
    mkdirSync(folder, { recursive: true });
  for (const file of [
    "data/kms.key",
    "data/table.db",
    "data/sandbox/kubeconfig.old",
    "home/.npmrc",
    "home/.ssh/id",
    "open/seen",
  ])
    writeFileSync(join(machine, file), `${mark}\n`);
  process.env.HOME = home;
  harness = await startHarness({ dataDir: join(data, "sandbox"), hidden: [data] });
});

afterAll(async () => {
  process.env.HOME = homeBefore;
  await harness?.stop();
  rmSync(machine, { recursive: true, force: true });
});

async function logOf(
  name: string,
  text: string,
  mounts: readonly { name: string; mountPath: string }[] = [],
): Promise<string> {
  const container = { name: "main", image: "toolbox:1", command: ["sh", "-c", text], volumeMounts: mounts };
  const volumes = mounts.map((mount) => ({ name: mount.name, emptyDir: {} }));
  const template = { spec: { restartPolicy: "Never", containers: [container], volumes } };
  const body = { apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec: { backoffLimit: 0, template } };
  expect(await harness.raw.send("POST", jobs, body)).toMatchObject({ code: 201 });
  await eventually(
    () => harness.raw.send("GET", `${jobs}/${name}`),
    (answer) => /"type":"(Complete|Failed)"/.test(JSON.stringify(answer.body)),
  );
  const base = "/api/v1/namespaces/default/pods";
  const [pod] = field(await harness.raw.send("GET", `${base}?labelSelector=job-name=${name}`), "items") as {
    metadata: { name: string };
  }[];
  const log = await harness.raw.send("GET", `${base}/${pod?.metadata.name}/log?container=main`);
  return String(log.body);
}

/** Reads what is marked, wherever it might be. */
const look = `for at in "" /.host; do cat $at${machine}/*/* $at${machine}/*/.[a-z]* $at${home}/.ssh/* $at${data}/sandbox/* 2>/dev/null; done | grep -c ${mark}`;

describe.skipIf(skip)("a script of the sandbox", () => {
  test("sees neither the data folder nor the home, and the rest of the machine", async () => {
    expect(await logOf("plain", `${look}; cat ${open}/seen; ls -A ${data} ${home}`)).toBe(
      // Of the open folder alone, at both places.
      `2\n${mark}\n${data}:\n\n${home}:\n`,
    );
  });

  test.each([
    ["takes the covers away", `umount ${data} ${home} /.host${data} /.host${home}; umount -l /.host; umount -a`],
    [
      "does so in namespaces of its own",
      `unshare -rm sh -c 'umount ${data} ${home} /.host${data} /.host${home}; ${look}' | sort -n | tail -1`,
    ],
    [
      "binds what is below them",
      `mkdir /tmp/b; mount --bind ${machine} /tmp/b; mount --rbind / /tmp/b; cat /tmp/b${data}/* /tmp/b/data/* | grep ${mark}`,
    ],
    [
      "leaves its root",
      `mkdir -p /tmp/r; perl -e 'chroot "/tmp/r"; chdir ".." for 1..30; chroot "."; exec "cat", "${data.slice(1)}/kms.key"'`,
    ],
    ["goes through processes", `cat /proc/[0-9]*/root${data}/kms.key /proc/[0-9]*/cwd/../../../kms.key`],
  ])("sees no more when it %s", async (what, text) => {
    const log = await logOf(what.replaceAll(/\W+/g, "-"), `{ ${text}; } 2>/dev/null; ${look}; true`);
    expect(log.split("\n").filter((line) => line === mark || Number(line) > 2)).toEqual([]);
    expect(log).toMatch(/2\n$/);
  });

  test("has its volumes below its home where it asks for that, and nothing else of it", async () => {
    const mounts = [{ name: "cache", mountPath: join(home, "deep", "cache") }];
    const log = await logOf("below", `touch ${home}/deep/cache/made; ls -AR ${home}; ${look}`, mounts);
    expect(log).toBe(`${home}:\ndeep\n\n${home}/deep:\ncache\n\n${home}/deep/cache:\nmade\n2\n`);
  });
});
