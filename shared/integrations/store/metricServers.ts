import { integrationStore } from "./integrationStore.ts";

/** A server that analyses of rollouts ask (decisions 12.5). Its sealed field is `token`, which a server need not want. */
export interface MetricServer {
  name: string;
  /** Which interface it has: Prometheus's, or any that answers with JSON. */
  type: "prometheus" | "web";
  /** As it was given. */
  address: string;
}

export const metricServers = integrationStore<MetricServer>("metric-server");
