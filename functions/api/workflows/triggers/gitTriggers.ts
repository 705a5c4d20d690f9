import { mapBounded } from "../../../../shared/base/common/mapBounded.ts";
import { badRequest } from "../../../../shared/base/errors/apiError.ts";
import type { Handlers } from "../../../../shared/http/createApi.ts";
import { success } from "../../../../shared/http/schemas.ts";
import { gitVendors } from "../../../../shared/integrations/rules/codeHosts/providers.ts";
import { codeHosts } from "../../../../shared/integrations/store/codeHosts.ts";
import { receiveWebhook } from "../../../../shared/workflows/triggers/git/receiveWebhook.ts";
import { notifyStarter } from "../../../../shared/workflows/triggers/intake/notifyStarter.ts";
import { listTriggers, triggersOfRepository } from "../../../../shared/workflows/triggers/records/triggers.ts";
import { gitEvents } from "../../../../shared/workflows/triggers/rules/trigger.ts";
import { deleteTrigger, requireOwner } from "../../../../shared/workflows/triggers/saveTrigger.ts";
import type { triggerRoutes } from "./routes.ts";
import { ownerOf, presetArg, saveWanted, shownOf } from "./wanted.ts";

type GitIds =
  | "listGitTriggers"
  | "presetGitTrigger"
  | "addGitTrigger"
  | "changeGitTrigger"
  | "deleteGitTrigger"
  | "hearCodeHost";

const kind = "webhook";
/** One call is answered once all of them are recorded. */
const mostOfRepository = 500;

async function save(
  way: "add" | "replace",
  request: Parameters<Handlers<typeof triggerRoutes>["addGitTrigger" | "changeGitTrigger"]>[0],
) {
  const {
    codehost_id,
    repo_namespace: namespace,
    repo_name: repository,
    branch,
    is_regular: isRegular,
    events,
    match_folders,
  } = request.body.main_repo;
  const codeHostId = String(codehost_id);
  const asks = match_folders.length > 0 && events.some((event) => event !== "push");
  await requireHeard(codeHostId, { asks });
  if (
    way === "add" &&
    (await triggersOfRepository(codeHostId, `${namespace}/${repository}`)).length >= mostOfRepository
  )
    throw wrong("repo_name", `${mostOfRepository} triggers listen to the repository, which is the most`);
  await saveWanted(way, { workflowKey: request.params.workflowName, kind }, request, (base) => ({
    ...{ ...base, kind, codeHostId, namespace, repository, branch, isRegular, events, folders: match_folders },
    cancelsOlder: request.body.auto_cancel,
    allowsForks: request.body.allow_forks || request.body.main_repo.allow_forks,
  }));
  return success;
}

/**
 * @param asks whether its API is asked which files a pull request changes
 * @throws ApiError 400 for a code host whose calls cannot be told from anybody's, or that cannot be asked
 */
async function requireHeard(id: string, { asks }: { asks: boolean }): Promise<void> {
  const host = await codeHosts.find(id);
  if (host === undefined) throw wrong("codehost_id", `there is no code host ${id}`);
  if (!gitVendors.some((vendor) => vendor === host.shown.type))
    throw wrong("codehost_id", `is of type ${host.shown.type}; ${gitVendors.join(", ")} tell what happens in them`);
  if (!host.secretFields.includes("webhook_secret"))
    throw wrong("codehost_id", "has no webhook_secret, which its calls are checked with; set one at the code host");
  if (asks && host.shown.authType !== "token")
    throw wrong(
      "match_folders",
      `has code host ${host.shown.alias} asked which files a pull request changes, which needs auth_type token there`,
    );
}

function wrong(field: string, problem: string): Error {
  return badRequest([{ in: "body", path: `main_repo.${field}`, problem }]);
}

export const gitTriggerHandlers: Pick<Handlers<typeof triggerRoutes>, GitIds> = {
  listGitTriggers: async ({ query: { workflowName } }) => {
    const found = await listTriggers(await ownerOf(workflowName), kind);
    return found.map((one) => ({
      ...shownOf(one),
      main_repo: {
        ...{ codehost_id: Number(one.codeHostId), repo_owner: one.namespace, repo_namespace: one.namespace },
        ...{ repo_name: one.repository, branch: one.branch, is_regular: one.isRegular === true },
        ...{ events: [...one.events], match_folders: [...one.folders] },
      },
      ...{ auto_cancel: one.cancelsOlder === true, allow_forks: one.allowsForks === true },
    }));
  },
  presetGitTrigger: async ({ query }) => ({
    workflow_arg: presetArg((await requireOwner(query.workflowName)).definition),
    events: [...gitEvents],
  }),
  addGitTrigger: (request) => save("add", request),
  changeGitTrigger: (request) => save("replace", request),
  deleteGitTrigger: async ({ params: { workflowName: workflowKey, name } }) => {
    await deleteTrigger({ workflowKey, kind, name });
    return success;
  },
  hearCodeHost: async ({ headers, bodyBytes: bytes, body }) => {
    const { deliveryId, deliveries, problem } = await receiveWebhook({ headers, bytes }, body);
    const accepted = deliveries.filter(({ status }) => status === "accepted");
    await mapBounded(accepted, 16, ({ workflowId, trigger }) =>
      notifyStarter({ workflowId, deliveryId, kind, trigger }),
    );
    return { delivery_id: deliveryId, ...(problem !== undefined && { problem }) };
  },
};
