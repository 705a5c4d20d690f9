import * as z from "zod";
import { StartRefused } from "./startRefused.ts";

const port = z.coerce.number("must be a port number").int().min(0).max(65_535);

/** Loopback and RFC 1918: what a machine of one's own usually holds (decisions 5.8). */
const localRanges = "127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,::1/128";

const environment = z.object({
  SLIPWAY_PORT: port.default(8080),
  SLIPWAY_REGISTRY_PORT: port.default(5005),
  SLIPWAY_DATA_DIR: z.string().min(1).default(".slipway"),
  SLIPWAY_ADMIN_TOKEN: z
    .string()
    .min(32, "must have at least 32 characters")
    .regex(/^[\x21-\x7e]+$/, "must consist of printable ASCII characters without spaces")
    .optional(),
  SLIPWAY_ADMIN_PASSWORD: z
    .string()
    .regex(/^(?=.*[A-Z])(?=.*[a-z])(?=.*\d).{8,}$/, "must have 8 characters with upper case, lower case and a digit")
    .optional(),
  SLIPWAY_BOOTSTRAP_SECRET: z.string().min(16, "must have at least 16 characters").optional(),
  SLIPWAY_OUTBOUND_ALLOW: z.string().default(localRanges),
  /** Read by the functions themselves; judged here, so that a start says what is wrong. */
  SLIPWAY_OPERATION_LOG_DAYS: z.coerce.number("must be a number of days").int().min(0).optional(),
});

export interface LocalSettings {
  port: number;
  registryPort: number;
  dataDir: string;
  adminToken: string | undefined;
  adminPassword: string | undefined;
  bootstrapSecret: string | undefined;
  outboundAllow: string;
}

/** Settings of `npm start`. @throws StartRefused naming every variable with a wrong value */
export function readSettings(env: NodeJS.ProcessEnv): LocalSettings {
  const parsed = environment.safeParse(env);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`);
    throw new StartRefused(`settings cannot be used: ${problems.join("; ")}`);
  }
  const given = parsed.data;
  return {
    port: given.SLIPWAY_PORT,
    registryPort: given.SLIPWAY_REGISTRY_PORT,
    dataDir: given.SLIPWAY_DATA_DIR,
    adminToken: given.SLIPWAY_ADMIN_TOKEN,
    adminPassword: given.SLIPWAY_ADMIN_PASSWORD,
    bootstrapSecret: given.SLIPWAY_BOOTSTRAP_SECRET,
    outboundAllow: given.SLIPWAY_OUTBOUND_ALLOW,
  };
}
