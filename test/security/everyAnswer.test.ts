import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pageOfOperations } from "../../shared/access/audit/store/pages.ts";
import { answerChecks } from "../contract/answerChecks.ts";
import { examplesOf } from "../contract/recordedExamples.ts";
import { type Answer, type Slipway, startSlipway } from "../harness/slipway.ts";
import { declarations, statusOf } from "./declarations.ts";
import { expectHeaders } from "./expectError.ts";
import { expectedWords } from "./expectedWords.ts";
import { expectedRecord } from "./operationRecord.ts";
import { bootstrapSecret, type Step, secrets, walk } from "./walk.ts";

interface Taken extends Step {
  answer: Answer;
  records: Awaited<ReturnType<typeof pageOfOperations>>["records"];
}

let slipway: Slipway;
const taken: Taken[] = [];

beforeAll(async () => {
  slipway = await startSlipway({
    bootstrapSecret,
    settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" },
    podDelayMilliseconds: 0,
  });
  await walk(slipway, async <T>(step: Step) => {
    const before = (await pageOfOperations(1, 1)).total;
    const { path, body } = step.request;
    const method = step.name.split(" ")[0] ?? "";
    const answer = await slipway.call<T>(method, path, {
      token: step.token,
      body: step.text ?? body,
      ...(step.headers && { headers: step.headers }),
    });
    const after = await pageOfOperations(1, 5);
    taken.push({ ...step, answer, records: after.records.slice(0, after.total - before) });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(statusOf(step.name));
    return answer.json;
  });
}, 400_000);

afterAll(() => slipway.close());

const examplesFile = new URL("../../functions/api/meta/examples.json", import.meta.url);

describe("a walk through every endpoint", () => {
  test("is where the examples of the API document come from (npm run docs:examples writes them)", () => {
    const now = examplesOf(taken, [...new Set([...Object.values(secrets), ...taken.map(({ token }) => token ?? "")])]);
    if (process.env.SLIPWAY_RECORD_EXAMPLES === "1") writeFileSync(examplesFile, `${JSON.stringify(now, null, 1)}\n`);
    const recorded = JSON.parse(readFileSync(examplesFile, "utf8")) as typeof now;
    expect(Object.keys(recorded)).toEqual(Object.keys(now));
    for (const [id, { body, answer }] of Object.entries(now)) {
      expect(recorded[id]?.body === undefined, `body of ${id}`).toBe(body === undefined);
      expect(recorded[id]?.answer === undefined, `answer of ${id}`).toBe(answer === undefined);
    }
  });

  test("leaves none out", () => {
    const asked = new Set(taken.map(({ name }) => name));
    expect(declarations.map(({ name }) => name).filter((name) => !asked.has(name))).toEqual([]);
  });

  test("gets the status, the content type and the body that the document promises", () => {
    const check = answerChecks();
    for (const { name, answer } of taken) {
      expectHeaders(answer, name, check.contentTypeOf(name, statusOf(name)));
      expect(check.problemsOf(name, answer), name).toEqual([]);
    }
  });

  test("leaves one operation log for each mutation, in the words of the contract, and none for reading", () => {
    for (const { name, request, records } of taken) {
      const words = expectedWords[name];
      if (words === undefined) {
        expect(records, name).toEqual([]);
        continue;
      }
      expect(records, name).toHaveLength(1);
      const username = name.includes("initialization") ? "" : "root";
      const wanted = expectedRecord(words, request, { status: statusOf(name), username, decoded: true });
      expect(records[0], name).toMatchObject({
        username: wanted.username,
        projectKey: wanted.project_key,
        method: wanted.method,
        function: wanted.function,
        scene: wanted.scene,
        targets: wanted.targets,
        detail: wanted.detail,
        requestBody: wanted.request_body,
        bodyType: wanted.body_type,
        status: statusOf(name),
      });
    }
  });

  test("leaves no secret and no token in an operation log, a log line or a later answer", () => {
    const tokens = taken.flatMap(({ token, answer }) => [
      token,
      (answer.json as { token?: string } | undefined)?.token,
    ]);
    const hidden = [...Object.values(secrets), ...new Set(tokens.filter((token) => token != null && token !== ""))];
    const places = {
      "operation logs": JSON.stringify(taken.flatMap(({ records }) => records)),
      "log lines": readFileSync(join(slipway.dataDir, "log.ndjson"), "utf8"),
      answers: taken
        .filter(({ name }) => !/login|callback|token|personal/.test(name))
        .map(({ answer }) => answer.text)
        .join(),
    };
    for (const [place, text] of Object.entries(places))
      for (const secret of hidden) expect(text.includes(String(secret)), `${secret} in ${place}`).toBe(false);
    expect(places["log lines"]).toContain('"requestId"');
  });
});
