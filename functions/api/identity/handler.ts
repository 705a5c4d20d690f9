import { createApi } from "../../../shared/http/createApi.ts";
import { groupHandlers } from "./groupHandlers.ts";
import { identityRoutes } from "./routes.ts";
import { secondFactorHandlers } from "./secondFactorHandlers.ts";
import { sessionHandlers } from "./sessionHandlers.ts";
import { settingHandlers } from "./settingHandlers.ts";
import { tokenHandlers } from "./tokenHandlers.ts";
import { userHandlers } from "./userHandlers.ts";

export const handler = createApi(identityRoutes, {
  ...sessionHandlers,
  ...secondFactorHandlers,
  ...userHandlers,
  ...tokenHandlers,
  ...groupHandlers,
  ...settingHandlers,
});
