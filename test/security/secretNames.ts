/** Projects of `makeSecretProject`. */
export const projects = ["veil", "veil-charts"];

const secondsFromNow = (seconds: number): string => String(Math.floor(Date.now() / 1000) + seconds);

/** What only the Slipway of a test knows. */
interface Known {
  /** Of delivery versions, and whatever else has such ids. */
  versionIds: readonly string[];
  /** Of who asks. */
  uid: string;
}

/** What names of the path and the query may be filled with: whatever is there. */
function valuesOf(name: string, project: string, { versionIds, uid }: Known): readonly string[] {
  const services = project === "veil" ? ["login"] : ["web"];
  const named: Readonly<Record<string, readonly string[]>> = {
    ...{ projectKey: [project], projectName: [project], project_key: [project], project_name: [project] },
    ...{ envName: ["dev", "prod"], env_name: ["dev", "prod"], envKey: ["dev", "prod"] },
    ...{ serviceName: services, service_name: services },
    envCfgName: ["held", "login", "literal", "kubectl", "web", "default-registry-secret"],
    ...{ type: ["Secret"], revision: ["1", "2"], a: ["1"], b: ["2"] },
    ...{ id: versionIds, other: versionIds, versionName: ["sent", "taken"], version: ["sent"] },
    ...{ workflowKey: ["ship", "mend"], workflowName: ["ship", "mend"], pipelineName: ["ship", "mend"] },
    ...{ name: ["ship", "mend", project, "web"] },
    ...{ taskID: ["1"], taskId: ["1"], jobName: ["put", "patch"], lines: ["10"], op: ["enable"] },
    ...{ uid: [uid], searchType: ["all"] },
    ...{ pageNum: ["1"], pageSize: ["100"], perPage: ["100"], page: ["1"] },
    ...{ startTime: [secondsFromNow(-3600)], endTime: [secondsFromNow(3600)] },
    ...{ from: [secondsFromNow(-3600)], to: [secondsFromNow(3600)] },
    ...{ podName: ["login"], containerName: ["main"], chartName: ["web"], chartRepoName: ["local"] },
    ...{ buildName: ["login"], testName: ["login"], scanName: ["login"], image: ["login:1"] },
  };
  return named[name] ?? [];
}

/** Every way to fill names with what is there; one that nothing is known of is left out. */
export function combinations(names: readonly string[], project: string, known: Known): Record<string, string>[] {
  return names.reduce<Record<string, string>[]>(
    (found, name) => {
      const values = valuesOf(name, project, known);
      if (values.length === 0) return found;
      return found.flatMap((one) => values.map((value) => ({ ...one, [name]: value })));
    },
    [{}],
  );
}
