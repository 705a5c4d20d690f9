import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listUserBindings } from "../../../../shared/access/identity/store/bindings.ts";
import { findPolicy } from "../../../../shared/access/identity/store/policies.ts";
import { mustExist } from "../../../../shared/base/store/conditions.ts";
import { keys, padded } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { update } from "../../../../shared/base/store/writes.ts";
import { markProjectDeleting, removeProject } from "../../../../shared/projects/store/projects.ts";
import { newPerson } from "../../../harness/people.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";

interface Listed {
  projects: { project_key: string; project_name: string; deploy_type: string; description: string; desc: string }[];
  total: number;
}

const path = "/openapi/projects/project";
let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
});

afterAll(() => slipway.close());

const bodyOf = (key: string, rest: object = {}) => ({
  project_key: key,
  project_name: `name of ${key}`,
  is_public: false,
  project_type: "yaml",
  ...rest,
});
const create = (key: string, rest: object = {}) => slipway.call("POST", path, { body: bodyOf(key, rest) });
const list = (query = "", token?: string) =>
  slipway.call<Listed>("GET", `${path}${query}`, token === undefined ? {} : { token });
const detail = (key: string, token?: string) =>
  slipway.call("GET", `${path}/detail?projectKey=${key}`, token === undefined ? {} : { token });

describe("creating a project", () => {
  test("shows it in the list and in the detail, with both spellings", async () => {
    const created = await create("first", { description: "the first", is_public: true });
    expect(created.json).toEqual({ message: "success" });
    expect((await list()).json.projects[0]).toEqual({
      project_key: "first",
      project_name: "name of first",
      deploy_type: "k8s",
      description: "the first",
      desc: "the first",
    });
    const { json } = await detail("first");
    expect(json).toEqual({
      project_name: "name of first",
      project_key: "first",
      is_public: true,
      desc: "the first",
      description: "the first",
      deploy_type: "k8s",
      create_time: expect.any(Number),
      created_time: expect.any(Number),
      created_by: "admin",
    });
  });

  test.each(["two\r\nlines", "a\u202eb", "bell\u0007"])(
    "refuses a name with characters that hide others: %j",
    async (name) => {
      const { status, text } = await create("hidden", { project_name: name });
      expect([status, text]).toEqual([
        400,
        expect.stringContaining("must not contain control or direction characters"),
      ]);
    },
  );

  test("names each type's deploy_type", async () => {
    await create("of-helm", { project_type: "helm" });
    await create("of-loaded", { project_type: "loaded" });
    expect((await detail("of-helm")).json).toMatchObject({ deploy_type: "helm" });
    expect((await detail("of-loaded")).json).toMatchObject({ deploy_type: "external" });
  });

  test("takes is_public and description as optional and trims the name", async () => {
    const body = { project_key: "lean", project_name: "  Lean ", project_type: "yaml" };
    expect((await slipway.call("POST", path, { body })).status).toBe(200);
    expect((await detail("lean")).json).toMatchObject({ project_name: "Lean", is_public: false, description: "" });
  });

  test("makes its three roles under ids that follow each other, and its creator's grant", async () => {
    await create("with-roles");
    const names = ["project-admin", "read-only", "read-project-only"];
    const roles = Object.entries((await findPolicy("with-roles"))?.roles ?? {});
    expect(roles.map(([, { name, kind }]) => [name, kind])).toEqual(names.map((name) => [name, "system"]));
    const ids = roles.map(([id]) => Number(id));
    expect(ids).toEqual([ids[0]!, ids[0]! + 1, ids[0]! + 2]);
    expect(await listUserBindings("with-roles")).toMatchObject([{ account: "admin", roleIds: [ids[0]] }]);
  });

  test.each([
    ["an empty body", undefined],
    ["an array", []],
    ["a number for a text", bodyOf("n1", { project_name: 5 })],
    ["a text for a boolean", bodyOf("n2", { is_public: "true" })],
    ["no key", { project_name: "x", project_type: "yaml" }],
    ["an empty key", bodyOf("")],
    ["capitals in the key", bodyOf("Upper")],
    ["a hyphen at the beginning", bodyOf("-a")],
    ["a hyphen at the end", bodyOf("a-")],
    ["white space in the key", bodyOf("a b")],
    ["white space around the key", bodyOf(" a ")],
    ["a line break at the end of the key", bodyOf("a\n")],
    ["a path in the key", bodyOf("../etc")],
    ["Unicode in the key", bodyOf("projekt-ä")],
    ["Unicode digits in the key", bodyOf("project-٣")],
    ["__proto__ as the key", bodyOf("__proto__")],
    ["64 characters in the key", bodyOf("a".repeat(64))],
    ["300 characters in the key", bodyOf("a".repeat(300))],
    ["an empty name", bodyOf("n3", { project_name: "" })],
    ["a name of white space", bodyOf("n4", { project_name: "  " })],
    ["a name of 257 characters", bodyOf("n5", { project_name: "a".repeat(257) })],
    ["an unknown type", bodyOf("n6", { project_type: "vm" })],
  ])("refuses %s with 400 and keeps nothing", async (_, body) => {
    const before = (await list()).json.total;
    const answer = await slipway.call("POST", path, body === undefined ? {} : { body });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ type: "error", code: 400, description: expect.stringMatching(/body/) });
    expect((await list()).json.total).toBe(before);
  });

  test("takes a key of 63 characters and keys that name JavaScript's own properties", async () => {
    expect((await create("a".repeat(63))).status).toBe(200);
    expect((await create("constructor")).status).toBe(200);
    expect((await detail("constructor")).json).toMatchObject({ project_key: "constructor" });
  });

  test("names every problem of a request at once", async () => {
    const { json } = await slipway.call<{ extra: { problems: { path: string }[] } }>("POST", path, {
      body: { project_key: "X", project_name: "", project_type: "zip" },
    });
    expect(json.extra.problems.map((problem) => problem.path).sort()).toEqual([
      "project_key",
      "project_name",
      "project_type",
    ]);
  });

  test("tells whether the key or the name is taken", async () => {
    await create("taken");
    const key = await create("taken", { project_name: "another" });
    expect(key.json).toMatchObject({ code: 6060, description: expect.stringContaining("same key") });
    expect(key.text).not.toContain("same name");
    const name = await create("taken-too", { project_name: "name of taken" });
    expect(name.json).toMatchObject({ code: 6060, description: expect.stringContaining("same name") });
    expect(name.text).not.toContain("same key");
    expect((await create("taken")).text).toMatch(/same key.*same name/);
  });

  test("50 identical creations at once have one winner and 49 answers of the duplicate", async () => {
    const before = (await list()).json.total;
    const answers = await Promise.all(Array.from({ length: 50 }, () => create("raced")));
    const codes = answers.map((answer) => (answer.json as { code?: number }).code ?? answer.status);
    expect(codes.filter((code) => code === 200)).toHaveLength(1);
    expect(codes.filter((code) => code === 6060)).toHaveLength(49);
    expect((await list()).json.total).toBe(before + 1);
  });

  test("20 different creations at once all succeed and are all counted", async () => {
    const before = (await list()).json.total;
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => create(`parallel-${at}`)));
    expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(200));
    expect((await list()).json.total).toBe(before + 20);
  });

  test("is recorded under the project's key with its name as detail, refused ones too", async () => {
    const person = await newPerson("nobody");
    const refused = await slipway.call("POST", path, { token: person.token, body: bodyOf("forbidden") });
    expect(refused.json).toMatchObject({ code: 403 });
    const logs = await slipway.call("GET", "/openapi/system/operation?searchType=project&projectKey=forbidden");
    expect(logs.json).toMatchObject({
      total: 1,
      operation_logs: [
        {
          method: "Add",
          function: "Project Management - Project",
          project_key: "forbidden",
          detail: "name of forbidden",
          username: "nobody",
          status: 403,
        },
      ],
    });
  });
});

describe("listing projects", () => {
  test("gives pages, the newest change first, with the exact total", async () => {
    const { total } = (await list()).json;
    const first = (await list("?pageSize=2")).json;
    const second = (await list("?pageSize=2&pageNum=2")).json;
    const whole = (await list("?pageSize=200")).json;
    expect(whole.projects).toHaveLength(total);
    expect([...first.projects, ...second.projects]).toEqual(whole.projects.slice(0, 4));
    expect((await list("?pageNum=0&pageSize=-1")).json.projects).toEqual(whole.projects.slice(0, 20));
    expect((await list("?pageNum=999999999999999&pageSize=200")).json).toEqual({ projects: [], total });
  });

  test.each(["pageNum=x", "pageSize=1.5", "pageNum=1&pageNum=2", "pageSize="])("refuses %s", async (query) => {
    expect((await list(`?${query}`)).json).toMatchObject({ code: 400 });
  });

  test("moves a project to the front when its definitions change", async () => {
    const longAgo = { listSk: `${padded(1)}#lean` };
    await table().write(update(keys.project("lean"), { set: longAgo }, mustExist));
    expect((await list("?pageSize=200")).json.projects.at(-1)!.project_key).toBe("lean");
    const changed = await slipway.call("PUT", "/api/aslan/project/products/lean/globalVariables", {
      body: { global_variables: [] },
    });
    expect(changed.status).toBe(200);
    expect((await list("?pageSize=200")).json.projects.at(-1)!.project_key).not.toBe("lean");
  });

  test("shows others what they hold a role in, and public projects", async () => {
    const person = await newPerson("member", [
      { namespace: "taken", roles: { "read-project-only": [] } },
      { namespace: "gone-long-ago", roles: { "read-only": ["get_service"] } },
    ]);
    const { json } = await list("", person.token);
    expect(json.projects.map((project) => project.project_key).sort()).toEqual(["first", "taken"]);
    expect(json.total).toBe(2);
    expect((await list("?pageSize=1&pageNum=2", person.token)).json).toMatchObject({
      projects: [expect.anything()],
      total: 2,
    });
    expect((await list("?pageNum=3&pageSize=1", person.token)).json).toEqual({ projects: [], total: 2 });
  });
});

describe("reading a project", () => {
  test("is 404 for an administrator when it is missing, and 403 for everybody else whether it is or not", async () => {
    const { token } = await newPerson("outsider");
    expect((await detail("missing")).json).toMatchObject({ code: 404 });
    expect((await detail("missing", token)).json).toMatchObject({ code: 403 });
    expect((await detail("taken", token)).json).toMatchObject({ code: 403 });
    expect((await detail("first", token)).status).toBe(200);
    expect((await slipway.call("GET", `${path}/detail`)).json).toMatchObject({ code: 400 });
  });

  test("answers keys that no project can have like any other unknown one", async () => {
    for (const key of ["__proto__", "..%2F", "a%23b", "%F0%9F%9A%80", "x".repeat(200)])
      expect((await detail(key)).json).toMatchObject({ code: 404 });
    expect((await detail("x".repeat(5000))).status).toBe(400);
  });
});

describe("a project that is being deleted", () => {
  test("is shown nowhere, still holds key and name, and frees both at the end", async () => {
    await create("leaving");
    const before = (await list()).json.total;
    await table().write(...markProjectDeleting("leaving", { deleteObjects: false, by: "admin" }));
    expect((await detail("leaving")).json).toMatchObject({ code: 404 });
    const after = (await list("?pageSize=200")).json;
    expect(after.total).toBe(before - 1);
    expect(after.projects.map((project) => project.project_key)).not.toContain("leaving");
    expect((await slipway.call("GET", `${path}/globalVariable?projectKey=leaving`)).json).toMatchObject({ code: 404 });
    expect((await create("leaving")).json).toMatchObject({ code: 6060 });
    await removeProject({ projectKey: "leaving", name: "name of leaving" });
    await removeProject({ projectKey: "leaving", name: "name of leaving" });
    expect(await table().get(keys.project("leaving"))).toBeUndefined();
    expect(await table().get(keys.projectName("name of leaving"))).toBeUndefined();
  });

  test("a removal that comes again never touches a project made under the same key since", async () => {
    await create("phoenix");
    await expect(removeProject({ projectKey: "phoenix", name: "name of phoenix" })).rejects.toThrow("condition");
    expect((await detail("phoenix")).status).toBe(200);
  });
});
