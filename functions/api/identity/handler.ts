import { createApi } from "../../../shared/http/createApi.ts";
import { groupHandlers } from "./groupHandlers.ts";
import { identityRoutes } from "./routes.ts";
import { sessionHandlers } from "./sessionHandlers.ts";
import { settingHandlers } from "./settingHandlers.ts";
import { tokenHandlers } from "./tokenHandlers.ts";
import { userHandlers } from "./userHandlers.ts";

export const handler = createApi(identityRoutes, {
  ...sessionHandlers,
  ...userHandlers,
  ...tokenHandlers,
  ...groupHandlers,
  ...settingHandlers,
});
