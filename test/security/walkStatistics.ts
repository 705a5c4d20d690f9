import type { Call } from "./walk.ts";

/** Numbers of what the walk did before. */
export async function walkStatistics(call: Call): Promise<void> {
  const path = "/openapi/statistics";
  const now = Math.floor(Date.now() / 1000);
  const days = { startDate: String(now - 86_400), endDate: String(now), productNames: "walk" };
  await call(`GET ${path}/overview`);
  for (const kind of ["build", "deploy", "test", "dora", "cost"]) await call(`GET ${path}/${kind}`, { query: days });
  await call(`GET ${path}/v2/release`);
  const times = { startTime: String(now - 86_400), endTime: String(now), pageSize: "20" };
  await call(`GET ${path}/v2/rollback/detail`, { query: times });
}
