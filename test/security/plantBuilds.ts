import type { Doors } from "./plantIntegrations.ts";

/** Where `plantBuilds` plants something: in the values of variables that say so. */
export const plantedBuilds = [
  "POST /api/aslan/template/build is_credential",
  "PUT /api/aslan/template/build/{id} is_credential",
  "POST /openapi/build is_credential",
  "PUT /openapi/build is_credential",
  "PUT /openapi/build/{buildName}/template is_credential",
  "POST /openapi/quality/testing is_credential",
  "PUT /openapi/quality/testing is_credential",
  "POST /openapi/quality/codescan is_credential",
  "PUT /openapi/quality/codescan is_credential",
];

const script = {
  infrastructure: "kubernetes",
  build_os: "ubuntu 20.04",
  installs: [],
  script_type: "shell",
  build_script: "make",
};

/** Credentials of builds and build templates of the project `shop`: added, changed, kept and refused. */
export async function plantBuilds({ canaries, ok, refused }: Doors): Promise<void> {
  const variable = (of: string, more: object = {}) => ({
    ...{ key: "SPECIAL", type: "string", is_credential: true, default_value: canaries.plant(`a credential of ${of}`) },
    ...more,
  });
  const build = (of: string, more: object = {}) => ({
    ...{ ...script, name: "planted", project_key: "shop", services: [] },
    parameters: [variable(of, more)],
  });
  const path = "/openapi/build";
  await ok("POST", path, build("a build"));
  await ok("PUT", path, build("a changed build"));
  await refused("POST", path, build("a build of a taken name"));
  await refused("PUT", path, { ...build("a build that is not there"), name: "absent" });
  await refused("PUT", path, build("a refused build", { type: "none" }));
  await refused("PUT", path, build("a build with a strange mark", { is_credential: "yes" }));
  await ok("GET", `${path}?projectKey=shop`);
  await ok("GET", `${path}/planted/detail?projectKey=shop`);
  const quality = "/openapi/quality";
  const test = (of: string) => ({ ...build(of), name: "planted", script: "make test" });
  const scan = (of: string) => ({ ...build(of), name: "planted", scanner_type: "other", image_name: "ubuntu 20.04" });
  for (const [made, at] of [
    [test, `${quality}/testing`],
    [scan, `${quality}/codescan`],
  ] as const) {
    await ok("POST", at, made(`a record of ${at}`));
    await ok("PUT", at, made(`a changed record of ${at}`));
    await refused("POST", at, made(`a record of ${at} of a taken name`));
    await ok("GET", `${at}?projectKey=shop`);
    await ok("GET", `${at}/planted?projectKey=shop`);
  }
  const given = (of: string) => [{ key: "SPECIAL", value: canaries.plant(`a value for a task of ${of}`) }];
  const starting = (test_name: string) => ({ project_key: "shop", test_name, inputs: given(`the test ${test_name}`) });
  const tests = `${quality}/testing/task`;
  await ok("POST", tests, starting("planted"));
  await ok("GET", `${quality}/testing/planted/task/1?projectKey=shop`);
  await refused("POST", tests, starting("absent"));
  const scans = `${quality}/codescan/planted/task`;
  await ok("POST", `${scans}?projectKey=shop`, { scan_kvs: given("a scan") });
  await ok("GET", `${scans}/1?projectKey=shop`);
  await refused("POST", `${scans}?projectKey=shop`, { scan_kvs: given("a scan"), scan_repos: [{ branch: "" }] });
  const templates = "/api/aslan/template/build";
  const template = (of: string) => ({ ...script, name: "planted", parameters: [variable(of)] });
  const { id } = await ok<{ id: string }>("POST", templates, template("a build template"));
  await ok("PUT", `${templates}/${id}`, template("a changed build template"));
  await ok("GET", `${templates}/${id}`);
  await refused("POST", templates, template("a build template of a taken name"));
  const made = (of: string, more: object = {}) => {
    const inputs = [{ key: "SPECIAL", value: canaries.plant(`a value of ${of}`), ...more }];
    const target_services = [{ service_name: "web", service_module: "main", repo_info: [], inputs }];
    return { name: "planted-from", project_key: "shop", template_name: "planted", target_services };
  };
  await ok("POST", `${path}?source=template`, made("a build from a template"));
  await ok("PUT", `${path}/planted-from/template`, made("a changed build from a template", { is_credential: true }));
  await refused("POST", `${path}?source=template`, { ...made("a build from no template"), template_name: "absent" });
  await ok("GET", `${path}/planted-from/detail?projectKey=shop&serviceName=web&serviceModule=main`);
}
