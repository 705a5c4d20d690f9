/** A host as it may stand in a command that somebody pastes into a shell. */
const hostForm = /^[A-Za-z0-9.-]+(:\d{1,5})?$/;

/**
 * The command that starts the agent inside its cluster (contract D 6.3): the manifest is fetched from the address that
 * the caller used.
 */
export function agentCommand(clusterId: string, headers: Readonly<Record<string, string>>): string {
  const host = headers.host ?? "";
  const scheme = headers["x-forwarded-proto"] === "https" ? "https" : "http";
  const server = hostForm.test(host) ? `${scheme}://${host}` : "";
  return `kubectl apply -f "${server}/api/aslan/cluster/agent/${clusterId}/agent.yaml?type=deploy"`;
}
