import * as z from "zod";
import { recordRoutes } from "../../../../shared/http/recordRoutes.ts";
import { changedCodeHost, codeHost, madeCodeHost, newCodeHost } from "./codeHostSchemas.ts";

const routes = recordRoutes(
  {
    path: "/api/aslan/system/codehosts",
    idForm: "int",
    tag: "Code hosts",
    function: "Code Host",
    noun: "a code host",
    nouns: "code hosts",
    nameField: "alias",
  },
  { added: newCodeHost, changed: changedCodeHost, listed: z.array(codeHost), shown: codeHost, made: madeCodeHost },
);

export const codeHostRoutes = {
  listCodeHosts: routes.list,
  addCodeHost: routes.add,
  getCodeHost: routes.read,
  updateCodeHost: routes.change,
  deleteCodeHost: routes.remove,
};
