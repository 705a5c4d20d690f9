import type { Call } from "./walk.ts";

const query = { projectKey: "walk" };

/** Tests and code scans, each endpoint at least once. */
export async function walkQuality(call: Call, secret: string): Promise<void> {
  const parameters = [{ key: "TOKEN", type: "string", value: secret, is_credential: true }];
  const test = { name: "unit", project_key: "walk", build_os: "ubuntu 20.04", script: "make test", parameters };
  const tests = "/openapi/quality/testing";
  await call(`POST ${tests}`, { body: test });
  await call(`PUT ${tests}`, { body: { ...test, pass_rate: 90 } });
  await call(`GET ${tests}`, { query });
  await call(`GET ${tests}/{testName}`, { params: { testName: "unit" }, query });
  const inputs = [{ key: "TOKEN", value: secret }];
  const body = { project_key: "walk", test_name: "unit", inputs };
  const tested = await call<{ task_id: number }>(`POST ${tests}/task`, { body });
  const testTask = { params: { testName: "unit", taskID: String(tested.task_id) }, query };
  await call(`GET ${tests}/{testName}/task/{taskID}`, testTask);
  for (const way of ["sse", "log", "files"])
    await call(`GET /api/aslan/logs/${way}/testing/{testName}/tasks/{taskID}`, testTask);
  await call(`DELETE ${tests}`, { query: { ...query, name: "unit" } });
  const scan = { name: "lint", project_key: "walk", scanner_type: "other", image_name: "ubuntu 20.04", parameters };
  const scans = "/openapi/quality/codescan";
  await call(`POST ${scans}`, { body: scan });
  await call(`PUT ${scans}`, { body: { ...scan, script: "make lint" } });
  await call(`GET ${scans}`, { query });
  await call(`GET ${scans}/{scanName}`, { params: { scanName: "lint" }, query });
  const ofScan = { params: { scanName: "lint" }, query };
  const scan_kvs = [{ key: "TOKEN", value: secret }];
  const scanned = await call<{ task_id: number }>(`POST ${scans}/{scanName}/task`, { ...ofScan, body: { scan_kvs } });
  const scanTask = { params: { scanName: "lint", taskID: String(scanned.task_id) }, query };
  await call(`GET ${scans}/{scanName}/task/{taskID}`, scanTask);
  for (const way of ["sse", "log", "files"])
    await call(`GET /api/aslan/logs/${way}/scanning/{scanName}/task/{taskID}`, scanTask);
  await call(`DELETE ${scans}`, { query: { ...query, name: "lint" } });
}
