import { newId } from "../../../shared/base/store/ids.ts";
import { applyObjects } from "../../../shared/kube/apply/applyObjects.ts";
import type { ApplyResult } from "../../../shared/kube/apply/applyResult.ts";
import { prepareObjects } from "../../../shared/kube/apply/prepareObjects.ts";
import type { ObjectRef } from "../../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../../shared/kube/client/connect.ts";
import { readClusterFacts } from "../../../shared/kube/readClusterFacts.ts";
import { parseManifest } from "../../../shared/manifest/parseManifest.ts";
import { recordClusterRequests } from "../../harness/clusterRequests.ts";
import { soleOwner } from "../../harness/soleOwner.ts";
import { timed } from "../figures.ts";
import type { Deployer } from "./deployer.ts";
import { differing } from "./manifest.ts";
import type { TestCluster } from "./testCluster.ts";

/** The engine alone, from the text to the last object; like kubectl it begins with a new connection each time. */
export function engineDeployer(cluster: TestCluster): Deployer {
  return {
    name: "engine",
    begin: async (namespace) => {
      await cluster.makeNamespace(namespace);
      const scope = {
        environmentId: newId(),
        environmentKey: "dev",
        projectKey: "bench",
        serviceName: "bulk",
        namespace,
        production: false,
      };
      let previous: ObjectRef[] = [];
      let recorded: ApplyResult["marks"] = {};
      const apply = async (manifest: string): Promise<ApplyResult> => {
        const client = connect({ kind: "kubeconfig", text: cluster.kubeconfig.text, trusted: true });
        try {
          const objects = parseManifest(manifest);
          const facts = await readClusterFacts(client, objects, namespace);
          const { objects: prepared } = prepareObjects(objects, scope, facts);
          const resolveOwner = async () => undefined;
          return await applyObjects(client, {
            objects: prepared,
            scope,
            previous,
            recorded,
            force: true,
            resolveOwner,
            claims: soleOwner,
          });
        } finally {
          client.close();
        }
      };
      return {
        deploy: async (kind, manifest) => {
          const { result: run, requests } = await recordClusterRequests(cluster.authority, () =>
            timed(() => apply(manifest)),
          );
          const { results, marks, succeeded } = run.result;
          const touched = results.filter(({ action }) => action === "created" || action === "changed").length;
          if (!succeeded || touched !== differing(kind, results.length))
            throw new Error(`${kind}: ${touched} of ${results.length} objects touched, succeeded ${succeeded}`);
          previous = results.map(({ ref }) => ref);
          recorded = marks;
          return { milliseconds: run.milliseconds, requests: requests.verbs };
        },
      };
    },
  };
}
