import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Figure, figures } from "../../shared/base/metrics/figures.ts";
import { type HookReceiver, startHookReceiver } from "../harness/hookReceiver.ts";
import type { Slipway } from "../harness/slipway.ts";
import { gate, makeWorkflow, startShop, type tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let receiver: HookReceiver;

beforeAll(async () => {
  const settings = { SLIPWAY_METRICS_INSTALLATION: "Tested", SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" };
  ({ slipway, tasks } = await startShop({ settings }));
  receiver = await startHookReceiver();
});

afterAll(async () => {
  await slipway.close();
  await receiver.close();
  delete process.env.SLIPWAY_METRICS_INSTALLATION;
});

const text = { type: "string", minLength: 1, maxLength: 1024 };

/** What the specification demands of a line, see `embedFigure.ts`. */
const schema = {
  type: "object",
  required: ["_aws"],
  properties: {
    _aws: {
      type: "object",
      required: ["Timestamp", "CloudWatchMetrics"],
      properties: {
        Timestamp: { type: "integer", minimum: 1_700_000_000_000 },
        CloudWatchMetrics: {
          type: "array",
          minItems: 1,
          items: {
            type: "object",
            required: ["Namespace", "Dimensions", "Metrics"],
            additionalProperties: false,
            properties: {
              Namespace: { ...text, pattern: "^[A-Za-z0-9._#:/ -]+$" },
              Dimensions: {
                type: "array",
                minItems: 1,
                items: { type: "array", maxItems: 30, items: { ...text, maxLength: 250 } },
              },
              Metrics: {
                type: "array",
                minItems: 1,
                maxItems: 100,
                items: {
                  type: "object",
                  required: ["Name"],
                  additionalProperties: false,
                  properties: { Name: text, Unit: { enum: ["Seconds", "Bytes", "Count"] } },
                },
              },
            },
          },
        },
      },
    },
  },
};
const isEmbedded = new Ajv().compile(schema);

interface Line extends Record<string, unknown> {
  message: string;
  _aws: { CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: { Name: string }[] }[] };
}

/** The lines that measure, as they were written so far. */
function lines(): Line[] {
  const all = readFileSync(join(slipway.dataDir, "log.ndjson"), "utf8").trimEnd().split("\n");
  return all.map((line) => JSON.parse(line) as Line).filter((line) => "_aws" in line);
}

const namesIn = (line: Line): string[] =>
  line._aws.CloudWatchMetrics.flatMap(({ Metrics }) => Metrics.map(({ Name }) => Name));

const valuesOf = (name: string): number[] =>
  lines().flatMap((line) => (namesIn(line).includes(name) ? [line[name] as number] : []));

test("what is measured stands in lines of the log as CloudWatch reads metrics, with one dimension", async () => {
  const hook = {
    ...{ enabled: true, webhook_type: "webhook", notify_type: ["passed"] },
    webhook_notification_config: { address: `${receiver.url}/told` },
  };
  const stages = [{ name: "one", jobs: [gate("gate")] }];
  await makeWorkflow("shop", { name: "measured", stages, notify_ctls: [hook] } as never);
  await tasks.end("measured", await tasks.started("measured", ["gate"]));
  await waitFor("the delivery", async () => valuesOf("DeliveriesSent").length > 0);
  await slipway.runtime.reconcile();
  await waitFor("a look of the reconciler", async () => valuesOf("TasksOpen").at(-1) === 0);
  expect(valuesOf("DeliveriesSent")).toEqual([1]);
  expect(valuesOf("JobWait")).toHaveLength(1);
  expect(valuesOf("JobDuration")).toHaveLength(1);
  expect(valuesOf("DeliveriesWaiting").at(-1)).toBe(0);
  expect(valuesOf("TasksWaiting")).toContain(1);
  for (const line of lines()) {
    expect(isEmbedded(line), JSON.stringify([line, isEmbedded.errors])).toBe(true);
    const [{ Namespace, Dimensions }] = line._aws.CloudWatchMetrics as [Line["_aws"]["CloudWatchMetrics"][number]];
    expect([Namespace, Dimensions, line.Installation]).toEqual(["Slipway", [["Installation"]], "Tested"]);
    for (const name of namesIn(line)) expect(line[name]).toEqual(expect.any(Number));
  }
});

test("requests are measured in the line that each has anyway, with the units of the table before it", async () => {
  const before = lines().length;
  for (const name of ["a", "b", "c"]) await slipway.call("GET", `/openapi/projects/project/detail?projectKey=${name}`);
  const written = await waitFor("the lines", async () => {
    const since = lines().slice(before);
    return since.filter(({ message }) => message === "request").length >= 3 && since;
  });
  const [request] = written.filter(({ message }) => message === "request");
  expect(request).toMatchObject({ route: "/openapi/projects/project/detail", status: 404 });
  expect(request?.RequestDuration).toBeGreaterThan(0);
  expect(valuesOf("StoreUnits").reduce((sum, units) => sum + units, 0)).toBeGreaterThan(3);
});

test("there are at most thirteen metrics, each with a name of its own", () => {
  const names = Object.values(figures).flatMap(({ metric }: Figure) =>
    metric === undefined ? [] : typeof metric.name === "string" ? [metric.name] : Object.values(metric.name.names),
  );
  expect(new Set(names).size).toBe(names.length);
  expect(names).toHaveLength(13);
});
