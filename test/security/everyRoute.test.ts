import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { projectResources, readOnlyActions } from "../../shared/access/identity/rules/actions.ts";
import { admitsProjectAdmins, type Permission } from "../../shared/access/identity/rules/permission.ts";
import { newToken } from "../../shared/access/identity/session/tokenText.ts";
import type { Place } from "../../shared/http/route.ts";
import type { HeldRoles } from "../harness/giveRoles.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { storeCallsOf } from "../harness/storeCallsOf.ts";
import { declarations } from "./declarations.ts";
import { expectError, expectHeaders } from "./expectError.ts";
import { type ExpectedPermission, expectedPermissions } from "./expectedPermissions.ts";
import { type Asked, isAllowed } from "./isAllowed.ts";
import { absentUid, harmlessRequest } from "./requests.ts";
import { forgetUser, type Person, storedPerson } from "./storedPerson.ts";

const here = "alpha";
const elsewhere = "beta";
const publicProject = "open";
const allVerbs: readonly string[] = Object.values(projectResources).flat();

interface Caller {
  name: string;
  person: Person;
  held: HeldRoles[];
}

let slipway: Slipway;
let document: { paths: Record<string, Record<string, unknown>> };
const callers = new Map<string, Caller>();

async function newCaller(name: string, ...held: HeldRoles[]): Promise<Caller> {
  return { name, person: await storedPerson(name, ...held), held };
}

async function addCaller(name: string, ...held: HeldRoles[]): Promise<void> {
  callers.set(name, await newCaller(name, ...held));
}

beforeAll(async () => {
  slipway = await startSlipway();
  await createProject(here);
  document = (await slipway.call<typeof document>("GET", "/openapi.json", { token: null })).json;
  await addCaller("a stranger");
  await addCaller("a project administrator of another project", {
    namespace: elsewhere,
    roles: { "project-admin": [] },
  });
  await addCaller("a reader", { namespace: here, roles: { "read-only": readOnlyActions } });
});

afterAll(() => slipway.close());

const served = declarations.map((declaration) => ({
  ...declaration,
  expected: expectedPermissions[declaration.name] ?? { allow: "nobody" },
}));
const guarded = served.filter(({ expected }) => expected.allow !== "public");

function request(route: (typeof served)[number], person: Pick<Person, "uid">, project = here) {
  return harmlessRequest(route.route, route.expected, { project, environment: "absent", uid: person.uid });
}

describe("the table of permissions", () => {
  test("names every declared endpoint and no other", () => {
    expect(declarations.map(({ name }) => name).sort()).toEqual(Object.keys(expectedPermissions).sort());
  });

  test.each(served)("$name is declared as the contract has it", ({ route, expected }) => {
    expect(inTableNotation(route.permission)).toEqual(rightsOf(expected));
    const placeOf = (place: Place) => `${place.in} ${place.name}`;
    expect([route.scope.project ?? []].flat().map(placeOf)).toEqual([expected.project ?? []].flat());
    expect([route.scope.environment ?? []].flat().map(placeOf)).toEqual([expected.environment ?? []].flat());
    const { workflow, projectOf, production } = route.scope;
    expect(production && placeOf(production)).toEqual(expected.inProduction?.place);
    const isStated = workflow !== undefined && (projectOf === "workflow" || workflow.in !== "path");
    expect(isStated ? placeOf(workflow) : undefined).toEqual(expected.workflow);
  });
});

describe("without a valid token", () => {
  const invalid: Record<string, () => Promise<string | null> | string | null> = {
    none: () => null,
    "one of too few characters": () => "short",
    "one of two words": () => `${newToken("api")} more`,
    "one with a wrong checksum": () => `${newToken("api").slice(0, -6)}000000`,
    "one that nobody has": () => newToken("api"),
    "a free text that nobody has": () => "no-token-of-this-installation-has-this-text",
    "a revoked one": async () => {
      const person = await storedPerson("revoked");
      const replaced = await slipway.call("POST", `/api/v1/users/${person.uid}/token`, { token: person.token });
      expect(replaced.status).toBe(200);
      return person.token;
    },
    "one of a deleted user": async () => {
      const person = await storedPerson("deleted", { namespace: here, roles: { "project-admin": [] } });
      await forgetUser(person);
      return person.token;
    },
  };

  test.each(Object.entries(invalid))("%s: every guarded endpoint answers 401", async (_, makeToken) => {
    const token = await makeToken();
    const ask = async (route: (typeof guarded)[number]): Promise<void> => {
      const { path, body } = request(route, { uid: absentUid });
      expectError(await slipway.call(route.route.method, path, { token, body }), 401, route.name);
    };
    await Promise.all(guarded.map(ask));
  });

  test("every 401 says why", async () => {
    const at = async (token: string | null) =>
      expectError(await slipway.call("GET", "/openapi/projects/project", { token }), 401, "projects").description;
    expect(await at(null)).toBe("missing authorization header");
    expect(await at("slw_short")).toBe("invalid token: token is malformed");
    expect(await at(newToken("api"))).toBe("token mismatch");
  });

  test("nothing is written to the operation log", async () => {
    const total = async () =>
      (await slipway.call<{ total: number }>("GET", "/openapi/system/operation?searchType=all&perPage=1")).json.total;
    const before = await total();
    for (const route of guarded.filter(({ route }) => route.method !== "GET"))
      await slipway.call(route.route.method, request(route, { uid: absentUid }).path, { token: newToken("api") });
    expect(await total()).toBe(before);
  });

  test.each(served.filter(({ expected }) => expected.allow === "public"))(
    "$name, which is public, does not ask for one",
    async (route) => {
      const { path, body } = request(route, { uid: "" });
      const answer = await slipway.call(route.route.method, path, { token: null, body });
      // Who is known by a signature alone may be refused for it.
      const isSigned = route.route.errorStatuses.includes(403);
      // What is called by a secret of its own is looked for first.
      const isReceiver = route.route.answerStatus === 202;
      expect(isReceiver ? [400, 404] : isSigned ? [403] : [200, 400]).toContain(answer.status);
      expectHeaders(answer, route.name);
    },
  );
});

describe("with a valid token", () => {
  test.each(guarded)("$name refuses in the words of the contract, naming what is missing", async (route) => {
    const { person, held } = callers.get("a stranger") as Caller;
    if (isAllowed(route.expected, { held }, askedIn(here))) return;
    const { path, body } = request(route, { uid: callers.get("a reader")?.person.uid ?? "" });
    const { description } = expectError(
      await slipway.call(route.route.method, path, { token: person.token, body }),
      403,
      route.name,
    );
    for (const verb of [route.expected.allow].flat().filter((right) => allVerbs.includes(right)))
      expect(description).toContain(verb);
    if (route.expected.project !== undefined) expect(description).toContain(here);
  });

  test.each(guarded.filter(({ expected }) => expected.allow === "self"))(
    "$name is refused to everybody else, the system administrator included",
    async (route) => {
      const { path } = request(route, { uid: callers.get("a stranger")?.person.uid ?? "" });
      expectError(await slipway.call(route.route.method, path), 403, route.name);
    },
  );

  test("lists that are filtered are empty for a stranger and for a member of another project", async () => {
    const lists = {
      "/openapi/projects/project": { projects: [], total: 0 },
      [`/openapi/environments?projectKey=${here}`]: [],
      [`/openapi/environments/production?projectKey=${here}`]: [],
    };
    for (const [path, nothing] of Object.entries(lists))
      for (const name of ["a stranger", "a project administrator of another project"]) {
        const answer = await slipway.call("GET", path, { token: callers.get(name)?.person.token ?? null });
        expect(answer.status, path).toBe(200);
        expect(answer.json, `${path} for ${name}`).toEqual(nothing);
      }
  });

  test("a project that does not exist answers as one that the caller may not see, and asks the store the same", async () => {
    await createProject("hidden");
    const { person } = callers.get("a stranger") as Caller;
    for (const route of guarded.filter(({ expected }) => expected.project !== undefined)) {
      const answers = [];
      for (const project of ["hidden", "nowhere"]) {
        const { path, body } = request(route, person, project);
        const { token } = person;
        const measured = await storeCallsOf(route.route.method, path, { token, ...(body && { body }) });
        const calls = measured.calls.map(({ kind }) => kind).sort();
        answers.push({ status: measured.status, body: measured.body.replaceAll(project, "it"), calls });
      }
      expect(answers[0], route.name).toEqual(answers[1]);
    }
  });
});

describe("the place of the scope", () => {
  const scoped = guarded.filter(({ expected }) =>
    [expected.project, expected.environment, expected.workflow]
      .flat()
      .some((place) => place !== undefined && !place.startsWith("path ")),
  );

  test.each(scoped)("$name without it is 400 naming it, before anybody is refused", async (route) => {
    const { person } = callers.get("a stranger") as Caller;
    const firstOf = <T>(places: T | readonly T[]) => [places].flat()[0];
    const { project, environment, workflow } = route.expected;
    const places = [project, environment, workflow].map(firstOf).filter(isGiven);
    const full = request(route, person);
    const emptied = full.path.split("?")[0] ?? "";
    const body = full.body && {};
    const answer = await slipway.call(route.route.method, emptied, { token: person.token, body });
    const { extra } = expectError(answer, 400, route.name);
    const named = extra.problems?.map((problem) => `${problem.in} ${problem.path}`) ?? [];
    expect(named.sort()).toEqual(places.filter((place) => !place.startsWith("path ")).sort());
  });
});

describe("what is not an endpoint", () => {
  test.each(served)("$name by a method that nothing declares is 405 with Allow and a body", async (route) => {
    const { path } = request(route, { uid: absentUid });
    const answer = await slipway.call("OPTIONS", path, { token: null });
    expectError(answer, 405, route.name);
    expect(answer.headers.get("allow")?.split(", ")).toContain(route.route.method);
  });

  test.each(["/openapi/nothing", "/api/nothing", "/nothing", "/openapi/projects/project/nothing/at/all"])(
    "%s is 404 with a body",
    async (path) => {
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"])
        expectError(await slipway.call(method, path, { token: null }), 404, `${method} ${path}`);
    },
  );
});

describe("a public project", () => {
  const held = [{ namespace: publicProject, roles: { "read-only": readOnlyActions } }];
  beforeAll(() => createProject(publicProject, true));

  test.each(guarded.filter(({ expected }) => expected.project !== undefined))(
    "$name is open to everybody when it reads and to nobody when it changes",
    async (route) => {
      const { person } = callers.get("a stranger") as Caller;
      const { path, body } = request(route, person, publicProject);
      const { status } = await slipway.call(route.route.method, path, { token: person.token, body });
      expect(status !== 403).toBe(isAllowed(route.expected, { held }, askedIn(publicProject)));
    },
  );
});

async function createProject(project_key: string, is_public = false): Promise<void> {
  const body = { project_name: project_key, project_key, project_type: "yaml", is_public };
  expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
}

function askedIn(project: string): Asked {
  return { project, environment: "absent", isSelf: false, changes: false };
}

function isGiven<T>(value: T | undefined): value is T {
  return value !== undefined;
}

function rightsOf({ allow, collaboration, inProduction }: ExpectedPermission): unknown {
  return { allow: [allow, inProduction?.allow ?? []].flat(), collaboration: collaboration ?? false };
}

function inTableNotation(permission: Permission): unknown {
  const words: Partial<Record<Permission["kind"], string>> = {
    authenticated: "any",
    anyRole: "role",
    systemAdmin: "SA",
    selfOrAdmin: "SA or self",
    projectAdmin: "PA",
    member: "M",
  };
  const { kind } = permission;
  if (kind === "verb")
    return {
      allow: [...permission.verbs, ...(permission.productionVerbs ?? [])],
      collaboration: permission.collaboration === "anyEnvironment" ? "any" : permission.collaboration === "environment",
    };
  const word = kind === "systemVerb" ? permission.verb : (words[kind] ?? kind);
  return { allow: [word, ...(admitsProjectAdmins(permission) ? ["PA of any"] : [])], collaboration: false };
}
