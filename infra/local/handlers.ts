import { handler as artifacts } from "../../functions/api/artifacts/handler.ts";
import { handler as builds } from "../../functions/api/builds/handler.ts";
import { handler as clusters } from "../../functions/api/clusters/handler.ts";
import { handler as collaborations } from "../../functions/api/collaborations/handler.ts";
import { handler as delivery } from "../../functions/api/delivery/handler.ts";
import { handler as environments } from "../../functions/api/environments/handler.ts";
import { handler as events } from "../../functions/api/events/handler.ts";
import { handler as identity } from "../../functions/api/identity/handler.ts";
import { handler as integrations } from "../../functions/api/integrations/handler.ts";
import { handler as labels } from "../../functions/api/labels/handler.ts";
import { handler as logs } from "../../functions/api/logs/handler.ts";
import { handler as meta } from "../../functions/api/meta/handler.ts";
import { handler as operations } from "../../functions/api/operations/handler.ts";
import { handler as policy } from "../../functions/api/policy/handler.ts";
import { handler as projects } from "../../functions/api/projects/handler.ts";
import { handler as quality } from "../../functions/api/quality/handler.ts";
import { handler as registries } from "../../functions/api/registries/handler.ts";
import { handler as releaseplans } from "../../functions/api/releaseplans/handler.ts";
import { handler as services } from "../../functions/api/services/handler.ts";
import { handler as sso } from "../../functions/api/sso/handler.ts";
import { handler as statistics } from "../../functions/api/statistics/handler.ts";
import { handler as templates } from "../../functions/api/templates/handler.ts";
import { handler as workflows } from "../../functions/api/workflows/handler.ts";
import type { ApiHandler } from "../../shared/http/createApi.ts";

/** The handler of each endpoint group by the group's name. */
export const handlers: Readonly<Record<string, ApiHandler>> = {
  artifacts,
  builds,
  clusters,
  collaborations,
  delivery,
  environments,
  events,
  identity,
  integrations,
  labels,
  logs,
  meta,
  operations,
  policy,
  projects,
  quality,
  registries,
  releaseplans,
  services,
  sso,
  statistics,
  templates,
  workflows,
};
