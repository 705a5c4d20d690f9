import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addedActions, projectResources } from "../../shared/access/identity/rules/actions.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { makeWorkflow } from "../harness/tasks.ts";
import { declarations, missingIs500 } from "./declarations.ts";
import { isOlder } from "./expectError.ts";
import { type ExpectedPermission, expectedPermissions } from "./expectedPermissions.ts";
import { expectedWords } from "./expectedWords.ts";
import { isAllowed } from "./isAllowed.ts";
import { holderOf, type MatrixCaller, matrixCallers } from "./matrixCallers.ts";
import { absentUid, harmlessRequest } from "./requests.ts";

/**
 * Every endpoint × everybody who may come to it. What is expected comes from the contract's tables, not from the
 * declarations: to take a permission from a declaration, or to add one, makes a cell fail.
 */
const here = "alpha";
const elsewhere = "beta";
const environment = "absent";
const workflow = "workflow-of-alpha";
const allVerbs: readonly string[] = [...Object.values(projectResources).flat(), ...addedActions];
const makers = matrixCallers(here, elsewhere, environment);

let slipway: Slipway;
const standing = new Map<string, MatrixCaller>();
const holders = new Map<string, Promise<MatrixCaller>>();
let cells = 0;

beforeAll(async () => {
  slipway = await startSlipway();
  for (const project_key of [here, elsewhere]) {
    const body = { project_name: project_key, project_key, project_type: "yaml" };
    expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
  }
  await makeWorkflow(here, { name: workflow });
  for (const [name, make] of Object.entries(makers)) standing.set(name, await make());
});

afterAll(async () => {
  console.log(`The authorization matrix has ${cells} cells.`);
  await slipway.close();
});

/** Once more in production where the request itself says so. */
const rows = declarations.flatMap((declaration) => {
  const expected = expectedPermissions[declaration.name] ?? { allow: "nobody" };
  const row = { ...declaration, title: declaration.name, expected, production: false };
  if (expected.inProduction === undefined) return [row];
  const { allow } = expected.inProduction;
  const title = `${declaration.name} in production`;
  return [row, { ...row, title, expected: { ...expected, allow }, production: true }];
});
type Row = (typeof rows)[number];

function isOwn(allow: ExpectedPermission["allow"]): boolean {
  return [allow].flat().includes("self");
}

/** A holder of each verb that counts for an endpoint, of that one alone, and one of every verb that does not. */
function verbHolders({ allow }: ExpectedPermission): Promise<MatrixCaller[]> {
  const counting = allVerbs.filter((verb) => [allow].flat().includes(verb));
  const sets = [...counting.map((verb) => [verb]), allVerbs.filter((verb) => !counting.includes(verb))];
  return Promise.all(
    sets.map((verbs) => {
      const key = verbs.join(" ");
      const name = verbs.length === 1 ? `a holder of ${key}` : "a holder of all verbs that do not count";
      const made =
        (isOwn(allow) ? undefined : holders.get(key)) ?? holderOf(name, { namespace: here, roles: { custom: verbs } });
      if (!isOwn(allow)) holders.set(key, made);
      return made;
    }),
  );
}

/** Endpoints about the caller's own record may take the caller's token away: to those everybody comes anew. */
async function callersOf({ expected }: Row): Promise<MatrixCaller[]> {
  const everybody = isOwn(expected.allow)
    ? await Promise.all(Object.values(makers).map((make) => make()))
    : [...standing.values()];
  return [...everybody, ...(await verbHolders(expected))];
}

/** Why a cell is wrong; undefined when it is as the contract has it. */
async function wrongCell(
  { name, route, expected, production }: Row,
  caller: MatrixCaller,
): Promise<string | undefined> {
  cells += 1;
  const isSelf = isOwn(expected.allow);
  const uid = isSelf ? caller.uid : absentUid;
  const { path, body } = harmlessRequest(route, expected, { project: here, environment, uid, workflow, production });
  const { status, text } = await slipway.call(route.method, path, { token: caller.token, body });
  const isPublic = expected.allow === "public";
  const changes = expectedWords[name] !== undefined;
  const allowed = isAllowed(expected, caller, { project: here, environment, isSelf, changes });
  const isAnswer = status < 500 || (status === 500 && missingIs500({ name }));
  const isRefused = status === 403 || (status === 401 && isOlder(name) && caller.isKnown);
  const outcome = isRefused ? "refused" : status === 401 ? "unknown" : isAnswer ? "allowed" : "broken";
  const wanted = isPublic || (caller.isKnown && allowed) ? "allowed" : caller.isKnown ? "refused" : "unknown";
  if (isPublic ? outcome !== "broken" : outcome === wanted) return undefined;
  return `${caller.name}: wanted ${wanted}, got ${status} ${text.slice(0, 300)}`;
}

describe("who may do what", () => {
  test.each(rows)("$title", async (row) => {
    const callers = await callersOf(row);
    const outcomes = await Promise.all(callers.map((caller) => wrongCell(row, caller)));
    expect(outcomes.filter((wrong) => wrong !== undefined)).toEqual([]);
  });

  test("is looked at in at least 1,000 cells", () => {
    expect(cells).toBeGreaterThanOrEqual(1000);
  });
});
