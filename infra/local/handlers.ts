import { handler as clusters } from "../../functions/api/clusters/handler.ts";
import { handler as environments } from "../../functions/api/environments/handler.ts";
import { handler as identity } from "../../functions/api/identity/handler.ts";
import { handler as labels } from "../../functions/api/labels/handler.ts";
import { handler as meta } from "../../functions/api/meta/handler.ts";
import { handler as operations } from "../../functions/api/operations/handler.ts";
import { handler as projects } from "../../functions/api/projects/handler.ts";
import { handler as registries } from "../../functions/api/registries/handler.ts";
import { handler as services } from "../../functions/api/services/handler.ts";
import { handler as templates } from "../../functions/api/templates/handler.ts";
import type { ApiHandler } from "../../shared/http/createApi.ts";

/** The handler of each endpoint group by the group's name. */
export const handlers: Readonly<Record<string, ApiHandler>> = {
  clusters,
  environments,
  identity,
  labels,
  meta,
  operations,
  projects,
  registries,
  services,
  templates,
};
