import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually, type Harness, startHarness } from "./harness.ts";

/** A machine without `unshare`, as macOS is: programs are looked for where there are none. */
const path = process.env.PATH;
const said: string[] = [];
let harness: Harness;
beforeAll(async () => {
  process.env.PATH = "/nowhere";
  harness = await startHarness({ log: (line) => said.push(line) });
});
afterAll(async () => {
  process.env.PATH = path;
  await harness.stop();
});

const jobs = "/apis/batch/v1/namespaces/default/jobs";

/** A Job whose second container reads what the first one wrote into a volume. */
function job(name: string): object {
  const volumeMounts = [{ name: "workspace", mountPath: "/workspace" }];
  const script = (text: string) => ({ image: "toolbox:1", command: ["sh", "-c", text], volumeMounts });
  const spec = {
    restartPolicy: "Never",
    initContainers: [{ name: "first", ...script("echo made > /workspace/file") }],
    containers: [{ name: "main", ...script('test "$(cat /workspace/file)" = made') }],
    volumes: [{ name: "workspace", emptyDir: {} }],
  };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec: { backoffLimit: 0, template: { spec } } };
}

test("jobs run over their volumes all the same, and the first one says once what is different and what to set", async () => {
  for (const name of ["one", "two"]) {
    expect(await harness.raw.send("POST", jobs, job(name))).toMatchObject({ code: 201 });
    await eventually(
      () => harness.raw.send("GET", `${jobs}/${name}`),
      ({ body }) => JSON.stringify(body).includes('"type":"Complete"'),
    );
  }
  expect(said).toEqual([expect.stringMatching(/^jobs run without isolation, .* KUBECONFIG/)]);
});
