import type * as z from "zod";
import { badRequest, notFound } from "../../../shared/base/errors/apiError.ts";
import { retryOnConflict } from "../../../shared/base/store/retryOnConflict.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { sealFields } from "../../../shared/integrations/sealFields.ts";
import type { Integration } from "../../../shared/integrations/store/integrationStore.ts";
import { type MailHost, mailHostId, mailHosts } from "../../../shared/integrations/store/mailHosts.ts";
import { removeRecord } from "../../../shared/workflows/jobDefinitions/removeRecord.ts";
import type { MailHostBody, mailHost, mailHostRoutes } from "./mailHostRoutes.ts";

const sort = { noun: "mail host", nameField: "name", records: mailHosts };

export const mailHostHandlers: Handlers<typeof mailHostRoutes> = {
  getMailHost: async () => {
    const found = await mailHosts.find(mailHostId);
    if (found === undefined) throw notFound("a mail host");
    return answerOf(found.shown);
  },
  setMailHost: async ({ body }) => {
    await setMailHost(body);
    return success;
  },
  updateMailHost: async ({ body }) => {
    await updateMailHost(body);
    return success;
  },
  deleteMailHost: async () => {
    await removeRecord(sort, mailHostId);
    return success;
  },
};

/** Makes it, or puts it in the place of the one there is. @throws ApiError 400 for a user without a password */
async function setMailHost(wanted: MailHostBody): Promise<void> {
  requireBoth(wanted, wanted.password !== "");
  const secrets = await sealFields(mailHosts.kind, mailHostId, { password: wanted.password });
  const after = recordOf(wanted, wanted.password !== "");
  await retryOnConflict(async () => {
    const before = await mailHosts.find(mailHostId);
    await (before === undefined ? mailHosts.create(after, secrets) : mailHosts.change(before, after, secrets));
  });
}

/** The password stays unless another is given; it goes with the user. @throws ApiError 404; 400 as `setMailHost` */
async function updateMailHost(wanted: MailHostBody): Promise<void> {
  const secrets = await sealFields(mailHosts.kind, mailHostId, { password: wanted.password });
  await retryOnConflict(async () => {
    const before = await mailHosts.find(mailHostId);
    if (before === undefined) throw notFound("a mail host");
    const keeps = wanted.username !== "" && before.secretFields.includes("password");
    const hasPassword = wanted.password !== "" || keeps;
    requireBoth(wanted, hasPassword);
    await mailHosts.change(before, recordOf(wanted, hasPassword), secrets);
  });
}

function requireBoth({ username }: MailHostBody, hasPassword: boolean): void {
  if ((username !== "") === hasPassword) return;
  const [path, other] = hasPassword ? ["username", "password"] : ["password", "username"];
  throw badRequest([{ in: "body", path, problem: `is required beside ${other}` }]);
}

function recordOf(wanted: MailHostBody, hasPassword: boolean): Integration<MailHost> {
  const { name, port, username, is_tls: isTls, from } = wanted;
  const secretFields = hasPassword ? ["password"] : [];
  return { id: mailHostId, name: mailHostId, shown: { name, port, username, isTls, from }, kept: {}, secretFields };
}

function answerOf({ name, port, username, isTls, from }: MailHost): z.input<typeof mailHost> {
  return { name, port, username, is_tls: isTls, from };
}
