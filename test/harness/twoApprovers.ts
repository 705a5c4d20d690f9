import { newPerson, type Person } from "./people.ts";
import { gate, makeWorkflow } from "./tasks.ts";

/**
 * A workflow of the project `shop` whose only stage asks two people in its job `ask`, and has a gate after it: the first
 * of them changes nothing but the job.
 */
export async function makeTwoApprovers(name: string): Promise<[Person, Person]> {
  const people = [await newPerson(`${name}-ann`), await newPerson(`${name}-bob`)] as const;
  const approve_users = people.map(({ uid }, at) => ({ type: "user", user_id: uid, user_name: `approver ${at}` }));
  const native_approval = { needed_approvers: 2, approve_users };
  const ask = { name: "ask", type: "approval", spec: { type: "native", native_approval } };
  await makeWorkflow("shop", { name, concurrency_limit: -1, stages: [{ name: "one", jobs: [ask, gate("after")] }] });
  return [...people];
}
