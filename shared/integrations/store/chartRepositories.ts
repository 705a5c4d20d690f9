import { integrationStore } from "./integrationStore.ts";

export const chartRepositoryTypes = ["http", "oci", "ecr"] as const;

/** Where charts are fetched from (decisions 11.11). Its sealed field is `password`. */
export interface ChartRepository {
  /** What templates, services and dependencies of charts name it by. */
  repoName: string;
  /** As it was given: of `index.yaml`'s folder, or of the repositories of a registry. */
  url: string;
  type: (typeof chartRepositoryTypes)[number];
  /** Of ecr an access key; empty: no login, for ECR the platform's own role. */
  username: string;
}

export const chartRepositories = integrationStore<ChartRepository>("chart-repository");
