/** What the creation call of the legacy API asked to be told when its task ends (contract W 15.6). */
export interface LegacyCallback {
  /** Percent-encoded, as it was given. */
  callbackUrl: string;
  callbackVars: Readonly<Record<string, unknown>> | null;
  /** Key of the signature; empty: there is none. */
  secret: string;
  status: string;
  taskId: number;
  workflowName: string;
  error: string;
  images: readonly { image: string; serviceName: string; registryRepo: string }[];
}

export function legacyCallbackBody(callback: LegacyCallback): object {
  const { status, taskId, workflowName, error, callbackVars, images } = callback;
  return {
    ...{ status, task_id: taskId, workflow_name: workflowName, error, vars: callbackVars },
    images: images.map(({ image, serviceName, registryRepo }) => ({
      ...{ image, service_name: serviceName, registry_repo: registryRepo },
    })),
  };
}

/** The address itself; a text that cannot be decoded is returned as it is. */
export function callbackAddress(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
