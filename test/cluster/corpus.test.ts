import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mapBounded } from "../../shared/base/common/mapBounded.ts";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { readOperatorKubeconfig } from "../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { parseManifest } from "../../shared/manifest/parseManifest.ts";
import { unpackKubectl } from "../bench/cluster/kubectl.ts";
import { detailOf, localClusterId } from "../harness/boutique.ts";
import { comparable } from "../harness/corpus/comparable.ts";
import { type Expected, expectedOutcomes } from "../harness/corpus/expectedOutcomes.ts";
import { type CorpusPlace, corpusNames, readCorpus } from "../harness/corpus/readCorpus.ts";
import { type Answer, type Slipway, startSlipway } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";

const operator = await readOperatorKubeconfig(process.env);
const services = "/openapi/service/yaml";
const environments = "/openapi/environments";
const tag = randomBytes(4).toString("hex");

const placeOf = (who: string): CorpusPlace => ({ namespace: `slipway-test-${who}-${tag}`, suffix: `${who}-${tag}` });
const [ours, serverSide, clientSide] = [placeOf("ours"), placeOf("server"), placeOf("client")];

interface Told {
  description?: string;
  warnings?: readonly unknown[];
}

describe.skipIf(operator === undefined)("public applications, deployed and compared with kubectl", () => {
  let slipway: Slipway;
  let client: ClusterClient;
  const outcomes = new Map<string, Expected>();

  const ask = (method: string, path: string, body: unknown): Promise<Answer<Told>> =>
    slipway.call<Told>(method, `${path}${path.includes("?") ? "&" : "?"}projectKey=corpus`, { body });
  const add = (names: readonly string[], query = "") => {
    const service_list = names.map((service_name) => ({ service_name }));
    return ask("POST", `${environments}/service/yaml${query}`, { env_key: "dev", service_list });
  };

  const isTaken = (name: string): boolean => ["accepted", "warned"].includes(outcomes.get(name)?.[0] ?? "");

  /** What becomes of a text up to the moment before it is applied. */
  async function tried(name: string): Promise<Expected> {
    const saved = await ask("POST", `${services}/raw`, { service_name: name, yaml: readCorpus(name, ours) });
    if (saved.status !== 200) return ["refused when saved", saved.json?.description ?? saved.text];
    const looked = await add([name], "?dryRun=true");
    if (looked.status !== 200) return ["refused when deployed", looked.json?.description ?? looked.text];
    const warned = [saved, looked].some(({ json }) => (json.warnings ?? []).length > 0);
    return [warned ? "warned" : "accepted"];
  }

  beforeAll(async () => {
    const kubeconfig = operator?.text ?? "";
    slipway = await startSlipway({ kubeconfig });
    client = connect({ kind: "kubeconfig", text: kubeconfig, trusted: true });
    const project = { project_name: "corpus", project_key: "corpus", is_public: false, project_type: "yaml" };
    expect((await ask("POST", "/openapi/projects/project", project)).status).toBe(200);
    const place = { cluster_id: localClusterId, registry_id: "0123456789abcdef12345679", namespace: ours.namespace };
    expect((await ask("POST", environments, { ...place, env_key: "dev", services: [] })).text).toContain("success");
    const concluded = async () => (await detailOf(slipway, "corpus", "dev")).stored_status === "success";
    await waitFor("the environment to stand", concluded);
    await mapBounded(corpusNames, 4, async (name) => outcomes.set(name, await tried(name)));
    const taken = corpusNames.filter(isTaken);
    expect((await add(taken)).text).toContain("success");
    const detail = await waitFor(
      "the texts to be applied",
      async () => {
        const found = await detailOf(slipway, "corpus", "dev");
        return ["success", "failed"].includes(found.stored_status) && found;
      },
      100,
    );
    // A workload that does not get ready has an error as well; refused is what does not stand.
    for (const { service_name, error } of detail.services)
      if (error !== "" && Object.values(await live(service_name, ours)).includes(undefined))
        outcomes.set(service_name, ["refused when applied", error]);
    await applyWithKubectl(kubeconfig);
  }, 240_000);

  async function applyWithKubectl(kubeconfig: string): Promise<void> {
    const names = corpusNames.filter(isTaken);
    const kubectl = await unpackKubectl();
    const folder = mkdtempSync(join(tmpdir(), "slipway-corpus-"));
    const file = join(folder, "kubeconfig");
    writeFileSync(file, kubeconfig, { mode: 0o600 });
    for (const place of [serverSide, clientSide]) {
      const { namespace } = place;
      await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      const texts = mkdtempSync(join(folder, "texts-"));
      for (const name of names) writeFileSync(join(texts, `${name}.yaml`), readCorpus(name, place));
      const call = { kubeconfig: file, namespace, folder: texts, serverSide: place === serverSide };
      await kubectl.applyFolder(call);
      // Custom resources, which it sends before their definitions are served.
      await kubectl.applyFolder(call);
    }
    rmSync(folder, { recursive: true });
  }

  afterAll(async () => {
    if (slipway === undefined) return;
    await slipway.call("DELETE", `${environments}/dev?projectKey=corpus&isDelete=true`);
    const gone = async () => (await slipway.call("GET", `${environments}/dev?projectKey=corpus`)).status === 404;
    await waitFor("the environment to be gone", gone, 100);
    for (const place of [serverSide, clientSide]) {
      for (const ref of corpusNames.flatMap((name) => clusterScopedOf(name, place))) await client.remove(ref);
      await client.remove({ apiVersion: "v1", kind: "Namespace", name: place.namespace });
    }
    client.close();
    await slipway.close();
  }, 120_000);

  function clusterScopedOf(name: string, place: CorpusPlace) {
    if (!isTaken(name)) return [];
    const objects = parseManifest(readCorpus(name, place));
    const found = objects.filter(
      ({ metadata }) => metadata.name?.includes(place.suffix) && metadata.name !== place.namespace,
    );
    return found.map(({ apiVersion, kind, metadata }) => ({ apiVersion, kind, name: metadata.name }));
  }

  /** The objects of a text as they live in a place; one that is not there is undefined. */
  async function live(name: string, place: CorpusPlace): Promise<Record<string, unknown>> {
    const found: Record<string, unknown> = {};
    for (const { apiVersion, kind, metadata } of parseManifest(readCorpus(name, place))) {
      const ref = { apiVersion, kind, name: metadata.name, namespace: place.namespace };
      const key = `${kind} ${metadata.name}`
        .replaceAll(place.namespace, "NAMESPACE")
        .replaceAll(place.suffix, "SUFFIX");
      found[key] = await client.get(ref).then(
        (object) => comparable(object, place),
        () => undefined,
      );
    }
    return found;
  }

  test("every text comes to what the table says", () => {
    const found = [...outcomes].map(([name, [outcome, reason = ""]]) => {
      const [wanted = "", part = ""] = expectedOutcomes[name] ?? [];
      const same = wanted.startsWith(outcome) && reason.includes(part);
      return [name, same ? expectedOutcomes[name] : [outcome, reason]];
    });
    expect(Object.fromEntries(found)).toEqual(expectedOutcomes);
    expect(corpusNames.length).toBeGreaterThanOrEqual(60);
  });

  const namesOf = (wanted: Expected[0]): string[] =>
    corpusNames.filter((name) => expectedOutcomes[name]?.[0] === wanted);

  test.each(namesOf("accepted"))("%s is what kubectl makes of it", async (name) => {
    const [mine, theirs, plain] = await Promise.all([ours, serverSide, clientSide].map((place) => live(name, place)));
    expect(Object.values(mine ?? {})).not.toContain(undefined);
    expect(mine).toEqual(theirs);
    expect(mine).toEqual(plain);
  });

  test.each(namesOf("warned"))("%s is what plain kubectl makes of it with a warning", async (name) => {
    const [mine, plain] = await Promise.all([ours, clientSide].map((place) => live(name, place)));
    expect(Object.values(mine ?? {})).not.toContain(undefined);
    expect(mine).toEqual(plain);
  });

  // Plain kubectl creates duplicate entries as they stand; a controller without labels gets those of its pods, but for ours.
  const otherwise = [...namesOf("accepted otherwise"), ...namesOf("warned otherwise")];
  test.each(otherwise)("%s differs from what kubectl makes of it", async (name) => {
    const [mine, plain] = await Promise.all([ours, clientSide].map((place) => live(name, place)));
    expect(Object.values(mine ?? {})).not.toContain(undefined);
    expect(mine).not.toEqual(plain);
  });

  test.each(namesOf("accepted alone"))("%s stands in the environment, and kubectl left it out", async (name) => {
    const [mine, theirs] = await Promise.all([ours, serverSide].map((place) => live(name, place)));
    expect(Object.values(mine ?? {})).not.toContain(undefined);
    expect(Object.values(theirs ?? {})).toEqual(Object.values(mine ?? {}).map(() => undefined));
  });
});
