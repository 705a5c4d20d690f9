import { mkdirSync } from "node:fs";
import { groups } from "../../functions/api/groups.ts";
import { bootstrapAdministrator } from "../../shared/auth/bootstrapAdministrator.ts";
import { forgetConfig } from "../../shared/config.ts";
import { startDatabase } from "./database.ts";
import { startGateway } from "./gateway.ts";
import { handlers } from "./handlers.ts";

export interface RuntimeOptions {
  dataDir: string;
  /** 0 takes any free port. */
  port: number;
  adminToken?: string;
  adminPassword?: string;
  bootstrapSecret?: string;
  /** Settings of the functions, as their environment in AWS would hold them. */
  settings?: Readonly<Record<string, string>>;
}

export interface Runtime {
  url: string;
  generatedToken: string | undefined;
  close(): Promise<void>;
}

/** Starts everything of design 7 in this process, parts before the parts that use them. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  const tableName = "slipway";
  const database = await startDatabase({
    dataDir: options.dataDir,
    tableName,
    ...(options.settings?.SLIPWAY_DYNAMODB_ENDPOINT !== undefined && {
      endpoint: options.settings.SLIPWAY_DYNAMODB_ENDPOINT,
    }),
  });
  Object.assign(process.env, options.settings, {
    SLIPWAY_TABLE: tableName,
    SLIPWAY_DYNAMODB_ENDPOINT: database.endpoint,
    ...(options.bootstrapSecret !== undefined && { SLIPWAY_BOOTSTRAP_SECRET: options.bootstrapSecret }),
  });
  forgetConfig();
  const { generatedToken } =
    options.bootstrapSecret === undefined ? await bootstrapAdministrator(options) : { generatedToken: undefined };
  const gateway = await startGateway({
    port: options.port,
    groups: groups.map(({ name, prefixes }) => {
      const handler = handlers[name];
      if (handler === undefined) throw new Error(`endpoint group ${name} has no handler`);
      return { prefixes, handle: (event) => handler(event, {}) };
    }),
  });
  return {
    url: gateway.url,
    generatedToken,
    close: async () => {
      await gateway.close();
      await database.close();
    },
  };
}
