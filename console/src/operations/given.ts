/** A page of the console, as its address says. */
export interface Here {
  /** The pattern of its address, such as `/v1/projects/detail/$project`. */
  pattern: string;
  params: Readonly<Record<string, string>>;
  search: Readonly<Record<string, unknown>>;
}

/** What a page knows, by the names that parameters of operations have for it. */
export function givenHere({ params, search }: Here): Record<string, string> {
  const { project = search.namespace, workflow, task, version } = params;
  const { envName, service, id = version, group } = search;
  const all: Record<string, unknown> = {
    ...{ projectKey: project, projectName: project, envName, serviceName: service, service_name: service },
    ...{ workflowName: workflow, workflowKey: workflow, taskID: task, taskId: task, id, gid: group },
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) =>
      value === undefined || value === "" ? [] : [[name, String(value)]],
    ),
  );
}

/** The page of an operation, its form filled in with what is known. */
export const operationAddress = (id: string, given: Readonly<Record<string, string>>): string =>
  `/operations/${id}?${new URLSearchParams({ with: JSON.stringify(given) })}`;
