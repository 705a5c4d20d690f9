import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { localClusterId } from "../harness/boutique.ts";
import { type DefinitionCalls, definitionCallsOf } from "../harness/definitionCalls.ts";
import { addRegistry } from "../harness/deliveryVersions.ts";
import { openStream } from "../harness/eventStream.ts";
import { deploymentYaml } from "../harness/manifests.ts";
import { startSlipway } from "../harness/slipway.ts";
import { makeWorkflow, type ShownJob, type ShownTask, tasksOf } from "../harness/tasks.ts";
import { digestOf, pusher, startTestRegistry, type TestRegistry } from "../harness/testRegistry.ts";
import { waitFor } from "../harness/waitFor.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let calls: DefinitionCalls;
let tasks: ReturnType<typeof tasksOf>;
let source: TestRegistry;
let target: TestRegistry;
let sourceId: string;
/** Gives no layer. A copy from it lasts as long as its job may, a minute at least, so it begins with the first test. */
let slow: TestRegistry;
let late: Promise<number>;
let targetId: string;

/** As short as it can be, so that every copy of these tests that waits for anything is gone on with by a second call. */
const copySeconds = 1;

beforeAll(async () => {
  const settings = { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8", SLIPWAY_COPY_SECONDS: String(copySeconds) };
  const slipway = await startSlipway({ podDelayMilliseconds: 0, settings });
  calls = definitionCallsOf(slipway);
  tasks = tasksOf(slipway, "shop");
  [source, target] = [await startTestRegistry(), await startTestRegistry()];
  await calls.ok("POST", "/openapi/projects/project", {
    ...{ project_key: "shop", project_name: "shop", project_type: "yaml" },
  });
  sourceId = await addRegistry(calls, source.address, "dev");
  targetId = await addRegistry(calls, target.address, "rel");
  slow = await startTestRegistry();
  await pusher(slow.address).image("dev/late", "1");
  slow.trouble = ({ method, url = "" }) => method === "GET" && url.includes("/blobs/");
  const from = { source_registry_id: await addRegistry(calls, slow.address, "dev") };
  late = begin("late", [copying([of("late")], { ...from, timeout: 1 })]);
});

beforeEach(() => {
  for (const registry of [source, target]) registry.trouble = undefined;
});

afterAll(async () => {
  await calls?.slipway.close();
  await Promise.all([source?.close(), target?.close(), slow?.close()]);
});

const between = () => ({ source_registry_id: sourceId, target_registry_id: targetId });
const copying = (targets: readonly object[], more: object = {}) => ({
  ...{ name: "copy", type: "zadig-distribute-image" },
  spec: { source: "runtime", ...between(), targets, ...more },
});
const of = (name: string, more: object = {}) => ({
  ...{ service_name: name, service_module: "main", image_name: name, source_tag: "1", ...more },
});
const stages = (...jobs: { name: string }[]) => jobs.map((job) => ({ name: `of-${job.name}`, jobs: [job] }));
const jobOf = (task: ShownTask, name = "copy"): ShownJob => {
  const found = task.stages.flatMap(({ jobs }) => jobs).find(({ origin_name }) => origin_name === name);
  if (found === undefined) throw new Error(`there is no job ${name}`);
  return found;
};
interface Shown {
  target_image: string;
  status: string;
  error: string;
  digest: string;
}
const imagesOf = (job: ShownJob) => job.spec.distribute_target as Shown[];

async function begin(name: string, jobs: readonly { name: string }[], parameters: Record<string, object> = {}) {
  await makeWorkflow("shop", { name, stages: stages(...jobs) });
  const inputs = jobs.map((job) => ({ job_name: job.name, parameters: parameters[job.name] ?? {} }));
  return tasks.started(name, [], { inputs });
}

const run = async (name: string, jobs: readonly { name: string }[], parameters: Record<string, object> = {}) =>
  tasks.end(name, await begin(name, jobs, parameters));

const logOf = async (workflow: string, job = "copy") =>
  (await calls.slipway.call("GET", `/openapi/logs/log/v4/workflow/${workflow}/1/${job}`)).text;

async function refusedStart(name: string, jobs: readonly { name: string }[], parameters: object = {}) {
  await makeWorkflow("shop", { name, stages: stages(...jobs) });
  const inputs = jobs.map((job) => ({ job_name: job.name, parameters }));
  const body = { workflow_key: name, project_key: "shop", inputs };
  const { status, json } = await calls.refused("POST", "/openapi/workflows/custom/task", body);
  expect([status, json.code]).toEqual([400, 6160]);
  return json.description;
}

describe("what a job says of itself", () => {
  const save = (name: string, spec: object) => {
    const jobs = [{ name: "copy", type: "zadig-distribute-image", spec }];
    return { name, project: "shop", stages: [{ name: "only", jobs }] };
  };

  test("a cloud that is to copy by itself is refused with a sentence, and so is what is no field of ours", async () => {
    const path = "/openapi/workflows/custom";
    const targets = [{ service_name: "", service_module: "main", update_tag: "yes" }];
    const wrong = save("refused", { distribute_method: "cloud_sync", targets, timeout: 0.5, architecture: "x;y" });
    const { status, json } = await calls.refused("POST", path, wrong);
    expect([status, json.code]).toEqual([400, 6545]);
    expect(json.extra.problems?.map((one) => `${one.path.replace(/.*spec./, "")} ${one.problem}`)).toEqual([
      expect.stringMatching(/^distribute_method must be image_push: .*cannot ask a cloud to do it \(cloud_sync\)$/),
      "targets[0].service_name service_name cannot be empty",
      "targets[0].update_tag must be true or false",
      "timeout must be a whole number",
      "architecture must be architectures with commas between them, as amd64,linux/arm64",
    ]);
    await calls.ok("POST", path, save("kept", { distribute_method: "image_push", ...between(), targets: [of("web")] }));
  });

  test.each([
    [
      "no target",
      "no-target",
      () => copying([of("web")], { target_registry_id: "" }),
      "names no registry: set target_registry_id",
    ],
    [
      "an unknown target",
      "lost-target",
      () => copying([of("web")], { target_registry_id: "f".repeat(24) }),
      "target_registry_id is ffffffffffffffffffffffff, and there is no such registry",
    ],
    [
      "an unknown source",
      "lost-source",
      () => copying([of("web")], { source_registry_id: "f".repeat(24) }),
      "source_registry_id is ffffffffffffffffffffffff, and there is no such registry",
    ],
    ["nothing to copy", "nothing", () => copying([]), "has no image to copy: name images in targets"],
    ["no tag", "no-tag", () => copying([of("web", { source_tag: "" })]), "target web/main has no source_tag"],
    [
      "no new tag",
      "no-new-tag",
      () => copying([of("web", { update_tag: true })]),
      "target web/main has update_tag and no target_tag",
    ],
    [
      "a rule that is empty",
      "no-rule",
      () => copying([of("web")], { enable_target_image_tag_rule: true }),
      "target_image_tag_rule is empty",
    ],
    ["no module", "no-module", () => copying([of("web", { service_module: "" })]), "target web/ has no service_module"],
    [
      "a cloud",
      "cloud",
      () => copying([of("web")], { distribute_method: "cloud_sync" }),
      "cannot ask a cloud to do it",
    ],
    [
      "an unknown job",
      "lost-job",
      () => copying([], { source: "fromjob", job_name: "build" }),
      "job copy takes its services from job build, which is not in the workflow",
    ],
  ])("%s is said when it is started", async (_what, name, job, sentence) => {
    expect(await refusedStart(name, [job()])).toContain(sentence);
  });

  test("many images are too many", async () => {
    const many = Array.from({ length: 201 }, (_, at) => of(`web-${at}`));
    expect(await refusedStart("too-many", [copying(many)])).toContain("must have at most 200 images");
  });
});

describe("images that the job names", () => {
  test("go to the other registry under the tags that it says, and their names to later jobs", async () => {
    const from = pusher(source.address);
    const pushed = {
      plain: await from.image("dev/plain", "1"),
      tagged: await from.index("dev/tagged", "1", ["amd64", "arm64"]),
      nested: await from.image("dev/team/nested", "1"),
    };
    const targets = [
      of("plain", { target_tag: "ignored" }),
      of("tagged", { update_tag: true, target_tag: "<SERVICE>-<MODULE>-{{.workflow.task.id}}" }),
      of("nested", { image_name: "team/nested", update_tag: true, target_tag: "{{.workflow.input.imageTag}}-x" }),
    ];
    const telling = (name: string) => ({
      ...{ name: `tell-${name}`, type: "freestyle" },
      spec: {
        ...{ script_type: "shell", runtime: { infrastructure: "kubernetes", build_os: "ubuntu 20.04" } },
        script: `echo "{{.job.copy.${name}.main.output.IMAGE}} {{.job.copy.${name}.main.output.imageTag}} {{.job.copy.IMAGES}}"`,
      },
    });
    const task = await run("named", [copying(targets), telling("nested")]);
    const job = jobOf(task);
    expect([job.status, job.error]).toEqual(["passed", ""]);
    const rel = (name: string) => `${target.address}/rel/${name}`;
    const shown = (name: string, tag: string, digest: string, more: object) => ({
      ...{ source_image: `${source.address}/dev/${name}:1`, target_image: `${rel(name)}:${tag}`, target_tag: tag },
      ...{ service_module: "main", digest, status: "passed", error: "", ...more },
    });
    expect(job).toMatchObject({
      name: "job-0-0-0-copy",
      key: "copy",
      display_name: "copy",
      job_info: { job_name: "copy" },
    });
    expect(job.spec).toEqual({
      ...between(),
      distribute_target: [
        shown("plain", "1", pushed.plain.digest, { service_name: "plain", update_tag: false }),
        shown("tagged", "tagged-main-1", pushed.tagged.digest, { service_name: "tagged", update_tag: true }),
        shown("team/nested", "1-x", pushed.nested.digest, { service_name: "nested", update_tag: true }),
      ],
    });
    const there = pusher(target.address);
    expect(await there.read("rel/plain", "1")).toBe(await from.read("dev/plain", "1"));
    expect(await there.read("rel/tagged", "tagged-main-1")).toBe(await from.read("dev/tagged", "1"));
    expect(await there.read("rel/team/nested", "1-x")).toBe(await from.read("dev/team/nested", "1"));
    const images = [`${rel("plain")}:1`, `${rel("tagged")}:tagged-main-1`, `${rel("team/nested")}:1-x`];
    expect(await logOf("named", "tell-nested")).toContain(`${images[2]} 1-x ${images.join(",")}`);
    const log = (await logOf("named")).trimEnd().split("\n").sort();
    expect(log).toHaveLength(6);
    expect(log).toContain(`copying ${source.address}/dev/plain:1 (${pushed.plain.digest}) to ${images[0]}`);
    expect(log).toContain(`${images[0]}: is there, ${pushed.plain.digest}`);
  });

  test("are those of the start, which may choose the registry too", async () => {
    await pusher(source.address).image("dev/web", "7");
    await pusher(source.address).image("dev/other", "7");
    const elsewhere = await addRegistry(calls, target.address, "else");
    const task = await run("chosen", [copying([of("web", { image_name: "web" }), of("left-out")])], {
      copy: {
        target_registry_id: elsewhere,
        service_list: [
          { service_name: "web", service_module: "main", source_tag: "7" },
          { service_name: "more", service_module: "other", source_tag: "7", target_tag: "8" },
        ],
      },
    });
    expect(imagesOf(jobOf(task)).map(({ target_image, status }) => [target_image, status])).toEqual([
      [`${target.address}/else/web:7`, "passed"],
      [`${target.address}/else/other:8`, "passed"],
    ]);
  });

  test("are of one architecture, where the job wants one", async () => {
    await pusher(source.address).index("dev/both", "1", ["amd64", "arm64"]);
    const [image] = imagesOf(jobOf(await run("one-platform", [copying([of("both")], { architecture: "arm64" })])));
    const copied = JSON.parse((await pusher(target.address).read("rel/both", "1")) ?? "{}");
    expect(copied.manifests.map(({ platform }: { platform: object }) => platform)).toEqual([
      { os: "linux", architecture: "arm64" },
    ]);
    expect(image?.status).toBe("passed");
    const missing = jobOf(await run("no-platform", [copying([of("both")], { architecture: "riscv64" })]));
    expect([missing.status, missing.error]).toEqual(["failed", expect.stringContaining("linux/riscv64")]);
  });

  test("are not sent again when they are there", async () => {
    await pusher(source.address).image("dev/same", "1");
    await run("first-time", [copying([of("same")])]);
    target.requests.length = 0;
    const task = await run("second-time", [copying([of("same")])]);
    expect(jobOf(task).status).toBe("passed");
    expect(target.requests.filter((one) => /^(POST|PUT|PATCH)/.test(one))).toEqual([]);
  });
});

describe("images of an earlier job", () => {
  beforeAll(async () => {
    const yaml = deploymentYaml("web", `${source.address}/dev/web:0`);
    await calls.ok("POST", "/openapi/service/yaml/raw?projectKey=shop", { service_name: "web", yaml });
    await calls.ok("POST", "/api/aslan/system/basicImages", { label: "node 24", value: "node:24" });
    await calls.ok("POST", "/openapi/build", {
      ...{ name: "make", project_key: "shop", infrastructure: "kubernetes", build_os: "node 24", installs: [] },
      ...{ script_type: "shell", repo_info: [], services: [{ service_name: "web", service_module: "main" }] },
      build_script: `IMAGE=${source.address}/dev/web:built-7`,
    });
    await calls.ok("POST", "/openapi/environments?projectKey=shop", {
      ...{ env_key: "dev", namespace: "shop-dev", cluster_id: localClusterId, registry_id: targetId },
      services: [{ service_name: "web" }],
    });
  });

  const build = () => ({
    ...{ name: "build", type: "zadig-build" },
    spec: {
      ...{ source: "runtime", docker_registry_id: sourceId },
      service_and_builds: [{ service_name: "web", service_module: "main", build_name: "make" }],
    },
  });
  const from = (job_name: string, more: object = {}) => ({
    ...{ source: "fromjob", job_name, source_registry_id: "", ...more },
  });
  const deploy = (job_name: string) => ({
    ...{ name: "deploy", type: "zadig-deploy" },
    spec: { env: "dev", source: "fromjob", job_name, deploy_contents: ["image"] },
  });

  test("are built, copied and deployed from where they were copied to", async () => {
    const { digest } = await pusher(source.address).image("dev/web", "built-7");
    const rule = { enable_target_image_tag_rule: true, target_image_tag_rule: "{{.job.preBuild.imageTag}}-rel" };
    const task = await run("pipeline", [build(), copying([], from("build", rule)), deploy("copy")]);
    const job = jobOf(task);
    expect([job.error, jobOf(task, "build").error]).toEqual(["", ""]);
    const image = `${target.address}/rel/web:built-7-rel`;
    expect(job.spec).toEqual({
      ...between(),
      distribute_target: [
        {
          ...{ source_image: `${source.address}/dev/web:built-7`, target_image: image, target_tag: "built-7-rel" },
          ...{ service_name: "web", service_module: "main", update_tag: true, digest, status: "passed", error: "" },
        },
      ],
    });
    expect(jobOf(task, "deploy")).toMatchObject({
      status: "passed",
      spec: { service_and_images: [{ service_name: "web", service_module: "main", image }] },
    });
    expect(await pusher(target.address).read("rel/web", "built-7-rel")).toBe(
      await pusher(source.address).read("dev/web", "built-7"),
    );
  });

  test("go through several registries, by the tags of the images that are listed", async () => {
    await pusher(source.address).image("dev/web", "built-7");
    const third = await addRegistry(calls, target.address, "third");
    const again = {
      ...{ name: "again", type: "zadig-distribute-image" },
      spec: {
        ...from("copy", { target_registry_id: third }),
        targets: [{ service_name: "web", service_module: "main", update_tag: true, target_tag: "v1" }],
      },
    };
    const task = await run("two-copies", [build(), copying([], from("build")), again, deploy("again")]);
    expect(imagesOf(jobOf(task)).map((one) => one.target_image)).toEqual([`${target.address}/rel/web:built-7`]);
    expect(jobOf(task, "again").spec).toMatchObject({ source_registry_id: targetId, target_registry_id: third });
    expect(jobOf(task, "deploy").spec).toMatchObject({
      service_and_images: [{ image: `${target.address}/third/web:v1` }],
    });
  });

  test("must be among what that one works on", async () => {
    const job = copying([of("api")], from("build"));
    expect(await refusedStart("no-such-service", [build(), job])).toContain(
      "job copy has no image to copy: job build works on no such service",
    );
  });
});

describe("trouble", () => {
  async function failing(name: string, images: readonly string[] = ["bad"], more: object = {}) {
    const task = await run(name, [
      copying(
        images.map((image) => of(image)),
        more,
      ),
    ]);
    return { ...jobOf(task), log: await logOf(name) };
  }

  test("an image that is missing fails the job, leaves the others' result, and is copied by a retry", async () => {
    await pusher(source.address).image("dev/good", "1");
    const { status, error, log, spec } = await failing("missing", ["good", "gone"]);
    expect([status, error]).toEqual([
      "failed",
      expect.stringMatching(/^1 of 2 images were not copied: gone\/main: .*dev\/gone/),
    ]);
    expect((spec.distribute_target as Shown[]).map((one) => one.status)).toEqual(["passed", "failed"]);
    expect(log).toContain(`${target.address}/rel/gone:1: `);
    expect(log.trimEnd().endsWith(error)).toBe(true);
    await pusher(source.address).image("dev/gone", "1");
    await tasks.retry("missing", 1);
    expect(jobOf(await tasks.end("missing", 1))).toMatchObject({ status: "passed", error: "" });
  });

  test.each([
    ["a source that wants a login", () => source, 401, "401"],
    ["a target that wants a login", () => target, 401, "401"],
    ["a target that refuses", () => target, 403, "403"],
  ])("%s is said", async (what, registry, status, said) => {
    await pusher(source.address).image("dev/bad", "1");
    registry().trouble = (_request, response) => {
      response.writeHead(status).end();
      return true;
    };
    const job = await failing(what.replaceAll(" ", "-"));
    expect([job.status, job.error]).toEqual(["failed", expect.stringContaining(said)]);
    expect(job.error).toContain(registry().address);
  });

  test("tags that are none, and two images for one name, are said before anything is asked", async () => {
    const tag = { update_tag: true, target_tag: "no tag" };
    const bad = jobOf(await run("bad-tag", [copying([of("bad", tag)])]));
    expect(bad.error).toContain("bad/main: the tag of the copy would be no tag, which is none");
    const same = { image_name: "bad", update_tag: true, target_tag: "1" };
    const twice = [of("bad"), of("worse", { ...same, source_tag: "2" })];
    expect(jobOf(await run("one-name", [copying(twice)])).error).toBe(
      `several images would be copied to ${target.address}/rel/bad:1; give them tags of their own`,
    );
  });

  /** Pushes an image of many layers, and holds back all of them until they are let go on. */
  async function held(name: string) {
    const layers = Array.from({ length: 20 }, () => randomBytes(1000));
    const { digest } = await pusher(source.address).image(`dev/${name}`, "1", { layers });
    const digests = layers.map((layer) => digestOf(layer));
    const gate = { isOpen: false, asked: 0, digest };
    source.trouble = async ({ method, url = "" }) => {
      if (method !== "GET" || !digests.some((one) => url.endsWith(one))) return false;
      gate.asked++;
      while (!gate.isOpen) await sleep(50);
      return false;
    };
    return gate;
  }

  test("a cancel ends it in the middle, and nothing stands under the tag", async () => {
    const gate = await held("slow");
    const id = await begin("cancelled", [copying([of("slow")])]);
    const stream = await openStream(
      calls.slipway.runtime.url,
      `/openapi/logs/sse/v4/workflow/cancelled/${id}/copy/100`,
    );
    await waitFor("the blob to be asked for", async () => gate.asked > 0, 20);
    await waitFor("the log to begin", async () => stream.events().length > 0, 20);
    const running = jobOf(await tasks.read("cancelled", id));
    expect([running.status, imagesOf(running)[0]?.status]).toEqual(["running", "running"]);
    await tasks.cancel("cancelled", id);
    const job = jobOf(await tasks.end("cancelled", id, 20));
    gate.isOpen = true;
    expect([job.status, imagesOf(job)[0]?.status]).toEqual(["cancelled", "cancelled"]);
    expect(await pusher(target.address).read("rel/slow", "1")).toBeUndefined();
    await waitFor("the end of the log", async () => stream.hasEnded(), 20);
    const seen = stream.events().map(({ data }) => `${data}\n`);
    expect(seen.join("")).toBe(await logOf("cancelled"));
  });

  test("its time ends it", async () => {
    const job = jobOf(await tasks.end("late", await late, 90));
    expect([job.status, job.error, imagesOf(job)[0]?.status]).toEqual(["timeout", "workflow timeout", "timeout"]);
  }, 120_000);

  test("what lasts longer than a function may is gone on with, and the tag that moved meanwhile does not matter", async () => {
    const gate = await held("long");
    target.requests.length = 0;
    const id = await begin("long", [copying([of("long")])]);
    await waitFor("the blob to be asked for", async () => gate.asked > 0, 20);
    await sleep(copySeconds * 1000 + 1500);
    expect(gate.asked).toBeLessThan(20);
    source.requests.length = 0;
    const since = Date.now();
    await pusher(source.address).image("dev/long", "1");
    gate.isOpen = true;
    const [image] = imagesOf(jobOf(await tasks.end("long", id)));
    const maxCalls = 1 + (Date.now() - since) / (copySeconds * 1000);
    expect(image).toMatchObject({ status: "passed", digest: gate.digest });
    const from = pusher(source.address);
    // Each call that followed, more of them on a busy machine, asked once for what the first had found, not for the tag.
    const [moved, ...asked] = source.requests.filter((one) => one.includes("/manifests/"));
    expect(moved).toContain("PUT");
    expect([...new Set(asked)]).toEqual([`GET /v2/dev/long/manifests/${gate.digest}`]);
    expect(asked.length).toBeLessThanOrEqual(maxCalls);
    // 20 layers and a config, each once.
    expect(target.requests.filter((one) => one.startsWith("POST /v2/rel/long/blobs/uploads"))).toHaveLength(21);
    expect(await pusher(target.address).read("rel/long", "1")).toBe(await from.read("dev/long", gate.digest));
  });
});
