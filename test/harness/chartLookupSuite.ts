import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { findObject } from "../../shared/kube/client/findObject.ts";
import { localClusterId } from "./boutique.ts";
import {
  makeChartEnvironment,
  makeChartProject,
  readStoredChart,
  storedStatusOf,
  untilChanged,
} from "./chartProject.ts";
import type { Standing } from "./environmentSuite.ts";
import { chartFiles } from "./packedChart.ts";

const environments = "/openapi/environments";
const marked = `mark${randomBytes(12).toString("hex")}`;
const spelled = Buffer.from(marked).toString("base64");

/** Copies what `lookup` finds into an object that anybody may read. */
const template = `{{- with .Values.look }}
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ $.Release.Name }}-copy}
data:
  found: {{ lookup "v1" "Secret" .namespace .name | toJson | quote }}
{{- end }}
{{- with .Values.look }}{{ with .makes }}
---
apiVersion: v1
kind: Secret
metadata: {name: {{ . }}}
stringData: {password: of the guest}
{{- end }}{{ end }}
`;

const secret = (name: string, namespace: string, value = marked) => ({
  ...{ apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, stringData: { password: value } },
});

/** What `lookup` of a chart finds of Secrets (decisions 17.4, 17.5), the same on every cluster. */
export function chartLookupSuite(cluster: string, open: () => Promise<Standing>): void {
  const id = randomBytes(3).toString("hex");
  const [own, theirs, elsewhere] = ["own", "theirs", "elsewhere"].map((name) => `slipway-test-${id}-${name}`) as [
    ...[string, string, string],
  ];
  let standing: Standing;
  let client: ClusterClient;

  const call = (method: string, path: string, body?: object) =>
    standing.slipway.call(method, path, { ...(body && { body }) });
  const succeed = async (method: string, path: string, body?: object) => {
    const { status, text } = await call(method, path, body);
    expect(status, `${method} ${path}: ${text}`).toBe(200);
  };
  const config = (env_name: string, name: string, value: string) => ({
    ...{ env_name, name, common_env_cfg_type: "Secret" },
    yaml_data: JSON.stringify({ ...secret(name, "", value), metadata: { name } }),
  });
  const deploy = (environment: string, look: object | null, query = "") => {
    const values_yaml = JSON.stringify({ look });
    const path = `${environments}/helm/${environment}/services?projectKey=alpha${query}`;
    return call("POST", path, { services: [{ service_name: "web", values_yaml }] });
  };
  const copyIn = async (namespace: string) => {
    const ref = { apiVersion: "v1", kind: "ConfigMap", name: "web-copy", namespace };
    const found = (await findObject(client, ref)) as { data?: { found: string } } | undefined;
    return found?.data?.found ?? "";
  };
  const untilDone = async (environment: string) => {
    await untilChanged(standing.slipway, "alpha", environment);
    expect(await storedStatusOf(standing.slipway, "alpha", environment)).toBe("success");
  };

  beforeAll(async () => {
    standing = await open();
    client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
    const place = { cluster_id: localClusterId, registry_id: "0123456789abcdef12345679" };
    await succeed("POST", "/openapi/projects/project", {
      ...{ project_name: "Beta", project_key: "beta", is_public: false, project_type: "yaml" },
    });
    await succeed("POST", `${environments}?projectKey=beta`, { env_key: "dev", namespace: theirs, ...place });
    await untilChanged(standing.slipway, "beta", "dev");
    await succeed("POST", `${environments}/dev/envcfgs?projectKey=beta`, config("dev", "labelled", marked));
    await client.create(secret("unlabelled", theirs));
    await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: elsewhere } });
    await client.create(secret("unlabelled", elsewhere));
    await makeChartProject(standing.slipway, "alpha", { ...chartFiles("1.0.0"), "templates/copy.yaml": template });
    await readStoredChart(standing.slipway, "alpha", { service_name: "web" });
    for (const [env_name, namespace] of [
      ["own", own],
      ["guest", theirs],
    ] as const) {
      await makeChartEnvironment(standing.slipway, "alpha", { env_name, namespace });
      await untilChanged(standing.slipway, "alpha", env_name);
      await succeed("POST", `${environments}/${env_name}/envcfgs?projectKey=alpha`, config(env_name, "mine", "mine"));
    }
    await client.create(secret("by-hand", own, "by hand"));
  }, 240_000);

  afterAll(async () => {
    for (const name of [own, theirs, elsewhere])
      await client.remove({ apiVersion: "v1", kind: "Namespace", name }).catch(() => undefined);
    client.close();
    await standing.slipway.close();
  });

  describe(`lookup of a chart on ${cluster}`, () => {
    test.each([
      ["that the other project's environment has", theirs, "labelled", 'Secret "labelled" is no object of this'],
      ["that nobody labelled", theirs, "unlabelled", 'Secret "unlabelled" is no object of this environment'],
      ["for pulling images", theirs, "default-registry-secret", "is managed by Slipway"],
      ["of another namespace", elsewhere, "unlabelled", `lies in namespace ${elsewhere}`],
      ["of no namespace", "", "unlabelled", "belongs to the whole cluster"],
      ["of all namespaces", "", "", "the list of secrets belongs to the whole cluster"],
    ])("as a guest is refused a Secret %s", async (_name, namespace, name, says) => {
      for (const query of ["&dryRun=true", ""]) {
        const { status, text, json } = await deploy("guest", { namespace, name }, query);
        expect([status, json]).toEqual([400, expect.objectContaining({ description: expect.stringContaining(says) })]);
        expect(text).not.toMatch(new RegExp(`${marked}|${spelled}`));
      }
      expect(await copyIn(theirs)).toBe("");
    });

    test("as a guest takes no Secret of others by its name", async () => {
      for (const makes of ["labelled", "unlabelled"]) {
        const { status, json } = await deploy("guest", { namespace: theirs, name: "mine", makes });
        const description = expect.stringContaining(`Secret "${makes}" is no object of this environment`);
        expect([status, json]).toEqual([400, expect.objectContaining({ description })]);
        const ref = { apiVersion: "v1", kind: "Secret", name: makes, namespace: theirs };
        const standing = (await findObject(client, ref)) as { data?: { password: string } } | undefined;
        expect(standing?.data?.password).toBe(spelled);
      }
    });

    test("as a guest finds its own Secrets, and no others in a list", async () => {
      expect((await deploy("guest", { namespace: theirs, name: "" })).status).toBe(200);
      await untilDone("guest");
      const found = await copyIn(theirs);
      expect(JSON.parse(found).items.map((item: { metadata: { name: string } }) => item.metadata.name)).toContain(
        "mine",
      );
      expect(found).not.toContain(spelled);
      expect((await deploy("guest", { namespace: theirs, name: "mine" })).status).toBe(200);
      await untilDone("guest");
      expect(await copyIn(theirs)).toContain(Buffer.from("mine").toString("base64"));
    });

    test("in a namespace of its own project finds what nobody labelled, and not the Secret for pulling images", async () => {
      expect((await deploy("own", { namespace: own, name: "by-hand" })).status).toBe(200);
      await untilDone("own");
      expect(await copyIn(own)).toContain(Buffer.from("by hand").toString("base64"));
      const pulling = await deploy("own", { namespace: own, name: "default-registry-secret" });
      expect([pulling.status, pulling.text]).toEqual([400, expect.stringContaining("is managed by Slipway")]);
      expect((await deploy("own", { namespace: own, name: "" })).status).toBe(200);
      await untilDone("own");
      const names = JSON.parse(await copyIn(own)).items.map(
        (item: { metadata: { name: string } }) => item.metadata.name,
      );
      expect(names).toContain("by-hand");
      expect(names).not.toContain("default-registry-secret");
    });
  });
}
