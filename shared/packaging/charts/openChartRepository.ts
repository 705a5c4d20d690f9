import { unseal } from "../../base/aws/secrets/sealedSecret.ts";
import { type ChartRepository, chartRepositories } from "../../integrations/store/chartRepositories.ts";
import { findIntegrationSecret } from "../../integrations/store/findIntegrationSecret.ts";
import { chartRepositoryAccess } from "./chartRepositoryAccess.ts";
import type { ChartSource } from "./chartSource.ts";
import { httpRepository } from "./httpRepository.ts";
import { ociRepository } from "./ociRepository.ts";

/** A registered chart repository with its login. */
export async function openChartRepository(id: string, shown: ChartRepository): Promise<ChartSource> {
  const password = await passwordOf(id);
  if (shown.type === "http") return httpRepository({ ...shown, password });
  return ociRepository(shown.repoName, chartRepositoryAccess(id, shown, password));
}

/** Empty where the repository has none. */
export async function passwordOf(id: string): Promise<string> {
  const { kind } = chartRepositories;
  const sealed = await findIntegrationSecret(kind, id, "password");
  return sealed === undefined ? "" : unseal(sealed, { record: `${kind}:${id}`, field: "password" });
}
