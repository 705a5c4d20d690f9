import * as z from "zod";
import { address, optionalLine, secretLine } from "../../../../shared/http/fields.ts";
import { recordRoutes } from "../../../../shared/http/recordRoutes.ts";
import { madeRecord, plainName } from "../../../../shared/http/schemas.ts";
import { forProjects } from "../forProjects.ts";

const fields = {
  type: z.literal("jenkins", "must be jenkins: other tools are not called"),
  name: plainName(),
  url: address("url", ["https", "http"]),
  username: optionalLine(255).min(1, "username cannot be empty"),
  projects: forProjects,
};

export const newJenkinsServer = z.object({
  ...fields,
  password: secretLine()
    .refine((text) => text !== "", "password cannot be empty")
    .meta({ description: "An API token of the user, or the password" }),
});

/** The password stays when it is absent or empty. */
const changedJenkinsServer = z.object({ ...fields, password: secretLine().default("") });

export const jenkinsServer = z
  .object({
    ...{ id: z.string(), type: z.string(), name: z.string(), url: z.string(), username: z.string() },
    projects: z.array(z.string()),
  })
  .meta({ id: "JenkinsServer" });

const routes = recordRoutes(
  {
    path: "/api/aslan/system/cicdTools",
    idForm: "hex",
    tag: "Jenkins servers",
    function: "Jenkins Server",
    noun: "a Jenkins server",
    nouns: "Jenkins servers",
    nameField: "name",
  },
  {
    added: newJenkinsServer,
    changed: changedJenkinsServer,
    listed: z.array(jenkinsServer),
    shown: jenkinsServer,
    made: madeRecord,
  },
);

export const jenkinsRoutes = {
  listJenkinsServers: routes.list,
  addJenkinsServer: routes.add,
  getJenkinsServer: routes.read,
  updateJenkinsServer: routes.change,
  deleteJenkinsServer: routes.remove,
};
