import {
  readSecuritySettings,
  type SecuritySettings,
  setSecuritySettings,
} from "../../../shared/access/identity/store/securitySettings.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import type { Prices } from "../../../shared/reports/costs/rules/prices.ts";
import { readPrices, setPrices } from "../../../shared/reports/costs/store/prices.ts";
import { readConcurrency, setConcurrency } from "../../../shared/workflows/records/concurrency.ts";
import { dispatchTasks } from "../../../shared/workflows/tasks/dispatchTasks.ts";
import type { settingRoutes } from "./settingRoutes.ts";
import { ownPermission, ownProjectPermission } from "./wire.ts";

export const settingHandlers: Handlers<typeof settingRoutes> = {
  getOwnPermission: async ({ caller }) => ownPermission(caller.grants),

  getOwnProjectPermission: async ({ caller, params }) => ownProjectPermission(caller.grants, params.name),

  getSecuritySettings: async () => {
    const { tokenExpirationHours, improvementPlan, mfaRequiredFor } = await readSecuritySettings();
    return {
      ...{ token_expiration_time: tokenExpirationHours, improvement_plan: improvementPlan },
      ...{ mfa_enabled: mfaRequiredFor !== "nobody", mfa_required_for: mfaRequiredFor },
    };
  },

  setSecuritySettings: async ({ body }) => {
    const { mfaRequiredFor } = await readSecuritySettings();
    await setSecuritySettings({
      tokenExpirationHours: body.token_expiration_time,
      improvementPlan: body.improvement_plan,
      mfaRequiredFor: body.mfa_required_for ?? demandOf(body.mfa_enabled, mfaRequiredFor),
    });
    return success;
  },

  getConcurrency: async () => {
    const { workflowConcurrency, buildConcurrency } = await readConcurrency();
    return { workflow_concurrency: workflowConcurrency, build_concurrency: buildConcurrency };
  },

  setConcurrency: async ({ body }) => {
    await setConcurrency({
      workflowConcurrency: body.workflow_concurrency,
      buildConcurrency: body.build_concurrency,
    });
    // The limit of now counts for what waits already (contract W 8.4).
    await dispatchTasks();
    return success;
  },

  getPrices: async () => toPrices(await readPrices()),

  setPrices: async ({ body }) => {
    await setPrices(fromPrices(body));
    return success;
  },
};

/** Clients that know `mfa_enabled` alone send it back as they read it, which changes nothing. */
function demandOf(enabled: boolean | undefined, now: SecuritySettings["mfaRequiredFor"]) {
  if (enabled === undefined || enabled === (now !== "nobody")) return now;
  return enabled ? "everybody" : "nobody";
}

function toPrices(prices: Prices) {
  return {
    currency: prices.currency,
    ...{ vcpu_hour: prices.vcpuHour, gb_hour: prices.gbHour },
    ...{ million_lambda_requests: prices.millionLambdaRequests, lambda_gb_second: prices.lambdaGbSecond },
    thousand_transitions: prices.thousandTransitions,
    ...{ million_read_units: prices.millionReadUnits, million_write_units: prices.millionWriteUnits },
  };
}

function fromPrices(given: ReturnType<typeof toPrices>): Prices {
  return {
    currency: given.currency,
    ...{ vcpuHour: given.vcpu_hour, gbHour: given.gb_hour },
    ...{ millionLambdaRequests: given.million_lambda_requests, lambdaGbSecond: given.lambda_gb_second },
    thousandTransitions: given.thousand_transitions,
    ...{ millionReadUnits: given.million_read_units, millionWriteUnits: given.million_write_units },
  };
}
