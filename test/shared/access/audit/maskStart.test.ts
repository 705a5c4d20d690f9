import { expect, test } from "vitest";
import { maskStart } from "../../../../shared/access/audit/maskStart.ts";

const mask = "********";

test("the operation log of a start keeps what runs, and no value", () => {
  const repo = { codehost_name: "git", repo_namespace: "shop", repo_name: "web", branch: "main", prs: [1] };
  const module = { service_name: "shop", service_module: "web", repo_info: [repo] };
  const body = (value: string | number) => ({
    workflow_key: "ship",
    parameters: [
      { name: "place", type: "choice", value },
      { name: "code", repo },
    ],
    inputs: [
      { job_name: "build", parameters: { service_list: [{ ...module, inputs: [{ key: "A", value }] }] } },
      { job_name: "migrate", job_type: "sql", parameters: { database_name: value, sql: value, note: "", on: true } },
    ],
  });
  expect(maskStart(body("s3cret"))).toEqual(body(mask));
  expect(maskStart(body(7))).toEqual(body(mask));
});

test("a start call of the wrong shape keeps nothing of its values", () => {
  expect(maskStart({ parameters: "s3cret", inputs: { kv: ["s3cret"], name: ["https://s3cret@host"] } })).toEqual({
    parameters: mask,
    inputs: { kv: [mask], name: [`https://${mask}@host`] },
  });
});
