import { unseal } from "../../../base/aws/secrets/sealedSecret.ts";
import { EnvironmentProblem } from "../../../environments/failures.ts";
import type { SonarAccess } from "../../../integrations/sonar/askSonar.ts";
import { findIntegrationSecret } from "../../../integrations/store/findIntegrationSecret.ts";
import { sonarServers } from "../../../integrations/store/sonarServers.ts";

/** The server that a scan reports to, with its token. @throws EnvironmentProblem when the integration is gone */
export async function sonarServer(id: string): Promise<SonarAccess> {
  const { kind } = sonarServers;
  const [server, sealed] = await Promise.all([sonarServers.find(id), findIntegrationSecret(kind, id, "token")]);
  if (server === undefined || sealed === undefined)
    throw new EnvironmentProblem("the SonarQube integration of the code scan does not exist any more");
  const token = await unseal(sealed, { record: `${kind}:${id}`, field: "token" });
  return { address: server.shown.serverAddress, token };
}

/** Where people look at a project; empty while it is not known. */
export function sonarLink({ address }: Pick<SonarAccess, "address">, project: string, branch: string): string {
  if (project === "") return "";
  const query = new URLSearchParams({ id: project, ...(branch !== "" && { branch }) });
  return `${address.replace(/\/+$/, "")}/dashboard?${query}`;
}

/** A property of a scanner's configuration; the last one of a name counts. */
export function sonarProperty(text: string, name: string): string {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const found = lines.findLast((line) => line.startsWith(name) && /^\s*[=:]/.test(line.slice(name.length)));
  return found?.slice(name.length).replace(/^\s*[=:]\s*/, "") ?? "";
}
