import type { Answer, CallOptions, Slipway } from "../../../harness/slipway.ts";
import { waitFor } from "../../../harness/waitFor.ts";

export const root = "/api/aslan/workflow/v4";
export const success = { message: "success" };

export interface ShownDelivery {
  delivery_id: string;
  kind: string;
  trigger: string;
  event: string;
  source_id: string;
  status: "accepted" | "started" | "ignored" | "failed";
  task_id: number;
  problem: string;
  replay_of: string;
}

/** The endpoints of triggers, as tests call them. */
export function triggerCalls(slipway: () => Slipway) {
  const call = <T = Record<string, unknown>>(method: string, path: string, options?: CallOptions) =>
    slipway().call<T>(method, root + path, options);
  const allDeliveries = async (workflow: string) =>
    (await call<ShownDelivery[]>("GET", `/triggerdelivery/${workflow}`)).json;
  const deliveries = async (workflow: string) => (await allDeliveries(workflow)).filter(isMeant);
  return {
    call,
    allDeliveries,
    deliveries,
    /** Until nothing of them is left to be done. */
    settled: (workflow: string, count = 1) =>
      waitFor(`${count} deliveries of ${workflow} to be worked off`, async () => {
        const found = await deliveries(workflow);
        return found.length >= count && found.every(({ status }) => status !== "accepted") && found;
      }),
    ring: (workflow: string, hook: string, secret: string, body: unknown = {}, headers: Record<string, string> = {}) =>
      call<{ delivery_id: string }>("POST", `/generalhook/${workflow}/${hook}/webhook`, {
        token: null,
        body,
        headers: { "x-slipway-token": secret, ...headers },
      }),
    replay: (workflow: string, id: string, options?: CallOptions) =>
      call<{ delivery_id: string }>("POST", `/triggerdelivery/${workflow}/${id}/replay`, options),
  };
}

/** Whether a delivery was for its trigger: others stand there to say why nothing was started. */
export function isMeant({ problem }: ShownDelivery): boolean {
  return !/^(?:branch|tag) .* (?:is not|was deleted)|^it does not listen|has no new commits/.test(problem);
}

/** What is wrong with the body, as the answer says. */
export function problemsOf(answer: Answer): { path: string; problem: string }[] {
  const { extra } = answer.json as { extra?: { problems?: { path: string; problem: string }[] } };
  return (extra?.problems ?? []).map(({ path, problem }) => ({ path, problem }));
}
