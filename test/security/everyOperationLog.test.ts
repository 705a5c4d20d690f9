import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adminToken, type Slipway, startSlipway } from "../harness/slipway.ts";
import { declarations } from "./declarations.ts";
import { isOlder } from "./expectError.ts";
import { expectedPermissions } from "./expectedPermissions.ts";
import { expectedWords } from "./expectedWords.ts";
import { isAllowed } from "./isAllowed.ts";
import { expectedRecord, type OperationRecord } from "./operationRecord.ts";
import { absentUid, harmlessRequest, type TestRequest } from "./requests.ts";
import { type Person, storedPerson } from "./storedPerson.ts";

const project = "alpha";
let slipway: Slipway;
let stranger: Person;

beforeAll(async () => {
  slipway = await startSlipway();
  stranger = await storedPerson("A Stranger");
});

afterAll(() => slipway.close());

const mutations = declarations
  .filter(({ route }) => route.method !== "GET" && route.reads !== true)
  .map((declaration) => ({
    ...declaration,
    expected: expectedPermissions[declaration.name] ?? { allow: "nobody" },
    words: expectedWords[declaration.name],
  }));
type Mutation = (typeof mutations)[number];

function wordsOf({ name, words }: Mutation) {
  if (words === undefined) throw new Error(`the contract has no words for ${name}`);
  return words;
}

/** Names what the words are made of and a secret, and is refused or wrong all the same. */
function request({ route, expected, words }: Mutation): TestRequest {
  const made = harmlessRequest(route, expected, { project, environment: "absent", uid: absentUid });
  if (made.body === undefined) return made;
  const filled: Record<string, unknown> = { password: "Hidden-1", secret_key: "hidden", service_names: ["a", "b"] };
  for (const place of [words?.detail, words?.environment, words?.project, words?.targets].flat()) {
    const [where, name = ""] = place?.split(" ") ?? [];
    if (where === "body") filled[name] = "named";
  }
  return { ...made, body: { ...filled, ...made.body } };
}

async function newest(): Promise<{ record: OperationRecord; total: number }> {
  const path = "/openapi/system/operation?searchType=all&perPage=1&page=1";
  const { json } = await slipway.call<{ operation_logs: OperationRecord[]; total: number }>("GET", path);
  return { record: json.operation_logs[0] as OperationRecord, total: json.total };
}

/** Makes the call and returns the one record that it left. */
async function recordOf(mutation: Mutation, sent: TestRequest, body: unknown, token: string | null) {
  const before = (await newest()).total;
  const startedAt = Math.floor(Date.now() / 1000);
  const answer = await slipway.call(mutation.route.method, sent.path, { token, body });
  const { record, total } = await newest();
  expect(total - before, "records written").toBe(1);
  const { created_at, token_id, token_name, request_id, address, agent, ...rest } = record;
  expect({ request_id, address, agent }).toEqual({
    request_id: answer.headers.get("x-request-id"),
    address: "127.0.0.1",
    agent: "node",
  });
  expect({ token_id, token_name }).toEqual(
    token === null
      ? { token_id: "", token_name: "" }
      : { token_id: expect.stringMatching(/^[0-9a-f]{24}$/), token_name: "default" },
  );
  expect(created_at).toBeGreaterThanOrEqual(startedAt);
  expect(created_at).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000));
  return { answer, record: rest };
}

describe("the operation log", () => {
  test("has words for every declared mutation and for no other", () => {
    const audited = declarations.filter(({ route }) => route.audit !== undefined).map(({ name }) => name);
    expect(audited.sort()).toEqual(Object.keys(expectedWords).sort());
    expect(audited).toEqual(expect.arrayContaining(mutations.map(({ name }) => name)));
  });

  const refusable = mutations.filter(
    ({ expected }) =>
      !isAllowed(expected, { held: [] }, { project, environment: "absent", isSelf: false, changes: true }) &&
      expected.allow !== "public",
  );

  test.each(refusable)("$name refused with 403 leaves one record", async (mutation) => {
    const sent = request(mutation);
    const { answer, record } = await recordOf(mutation, sent, sent.body, stranger.token);
    const status = isOlder(mutation.name) ? 401 : 403;
    expect(answer.status).toBe(status);
    const outcome = { status, username: "A Stranger", decoded: true };
    expect(record).toEqual(expectedRecord(wordsOf(mutation), sent, outcome));
  });

  test.each(mutations.filter(({ route }) => route.body !== undefined))(
    "$name that cannot be decoded leaves one record with an empty body",
    async (mutation) => {
      const isPublic = mutation.expected.allow === "public";
      const sent = request(mutation);
      const { answer, record } = await recordOf(mutation, sent, '{"password":"Hidden-1"', isPublic ? null : adminToken);
      expect(answer.status).toBe(400);
      const wanted = expectedRecord(wordsOf(mutation), sent, {
        status: 400,
        username: isPublic ? "" : "admin",
        decoded: false,
      });
      expect(record).toEqual({ ...wanted, project_key: record.project_key });
      expect([wanted.project_key, ""]).toContain(record.project_key);
    },
  );

  test.each(mutations.filter(({ expected }) => expected.allow !== "self"))(
    "$name that is wrong or finds nothing leaves one record with the status sent",
    async (mutation) => {
      const isPublic = mutation.expected.allow === "public";
      const sent = request(mutation);
      const { answer, record } = await recordOf(mutation, sent, sent.body, isPublic ? null : adminToken);
      const outcome = { status: answer.status, username: isPublic ? "" : "admin", decoded: true };
      expect(record).toEqual(expectedRecord(wordsOf(mutation), sent, outcome));
    },
  );

  test("reading leaves nothing", async () => {
    const before = (await newest()).total;
    for (const path of ["/openapi/projects/project", "/openapi/system/cluster", "/openapi.json"])
      await slipway.call("GET", path);
    expect((await newest()).total).toBe(before);
  });
});
