import * as z from "zod";
import { mayBeToken } from "../../shared/access/identity/session/tokenText.ts";
import { operatorSettings } from "../../shared/base/settings/operatorSettings.ts";
import { settingProblems } from "../../shared/base/settings/settingProblems.ts";
import { StartRefused } from "./startRefused.ts";

const port = z.coerce.number("must be a port number").int().min(0).max(65_535);

/** Loopback and RFC 1918: what a machine of one's own usually holds. */
const localRanges = "127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,::1/128";

/** What the functions themselves read: judged here, so that a start says what is wrong, and passed on as it is. */
const passedOn = operatorSettings.extend({
  SLIPWAY_OUTBOUND_ALLOW: operatorSettings.shape.SLIPWAY_OUTBOUND_ALLOW.prefault(localRanges),
  SLIPWAY_OIDC_CLIENT_SECRET: z.string().min(1, "must be the client's secret, or unset for a public client").optional(),
  SLIPWAY_DYNAMODB_ENDPOINT: z
    .url({ protocol: /^https?$/, error: "must be an address such as http://127.0.0.1:8000" })
    .optional(),
});

const environment = passedOn.extend({
  SLIPWAY_PORT: port.default(8080),
  SLIPWAY_REGISTRY_PORT: port.default(5005),
  SLIPWAY_DATA_DIR: z.string().min(1).default(".slipway"),
  SLIPWAY_LOG_FILE: z.string().min(1, "must be the name of a file").optional(),
  SLIPWAY_ADMIN_TOKEN: z
    .string()
    .min(32, "must have at least 32 characters")
    .max(512, "must have at most 512 characters")
    .regex(/^[\x21-\x7e]+$/, "must consist of printable ASCII characters without spaces")
    .refine(
      (text) => !/^(slw|sls)_/.test(text) || mayBeToken(text),
      "begins like a token of Slipway (slw_ or sls_) but its checksum is wrong, so every call with it would be refused: give a complete token that Slipway made, or a text that begins otherwise",
    )
    .optional(),
  SLIPWAY_ADMIN_PASSWORD: z
    .string()
    .regex(/^(?=.*[A-Z])(?=.*[a-z])(?=.*\d).{8,}$/, "must have 8 characters with upper case, lower case and a digit")
    .optional(),
  SLIPWAY_BOOTSTRAP_SECRET: z.string().min(16, "must have at least 16 characters").optional(),
  SLIPWAY_METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{32,512}$/, "must consist of 32 to 512 printable ASCII characters without spaces")
    .optional(),
  /** A variable of OpenTelemetry, as are those beside it that its SDK reads. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: "must be the address of a collector, such as http://127.0.0.1:4318" })
    .optional(),
});

export interface LocalSettings {
  port: number;
  registryPort: number;
  dataDir: string;
  logFile: string | undefined;
  adminToken: string | undefined;
  adminPassword: string | undefined;
  bootstrapSecret: string | undefined;
  metricsToken: string | undefined;
  /** Whether traces are collected. */
  isTraced: boolean;
  outboundAllow: string;
  /** For the functions, as their environment in AWS would hold them. */
  functions: Readonly<Record<string, string>>;
}

/** Settings of `npm start`. @throws StartRefused naming every variable with a wrong value */
export function readSettings(env: NodeJS.ProcessEnv): LocalSettings {
  const parsed = environment.safeParse(env);
  const problems = parsed.success
    ? settingProblems(parsed.data)
    : parsed.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`);
  if (!parsed.success || problems.length > 0) throw new StartRefused(`settings cannot be used: ${problems.join("; ")}`);
  const given = parsed.data;
  const functions = Object.keys(passedOn.shape).flatMap((name) => {
    const text = env[name];
    return text === undefined ? [] : [[name, text] as const];
  });
  return {
    port: given.SLIPWAY_PORT,
    registryPort: given.SLIPWAY_REGISTRY_PORT,
    dataDir: given.SLIPWAY_DATA_DIR,
    logFile: given.SLIPWAY_LOG_FILE,
    adminToken: given.SLIPWAY_ADMIN_TOKEN,
    adminPassword: given.SLIPWAY_ADMIN_PASSWORD,
    bootstrapSecret: given.SLIPWAY_BOOTSTRAP_SECRET,
    metricsToken: given.SLIPWAY_METRICS_TOKEN,
    isTraced: given.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
    outboundAllow: given.SLIPWAY_OUTBOUND_ALLOW,
    functions: { SLIPWAY_OUTBOUND_ALLOW: localRanges, ...Object.fromEntries(functions) },
  };
}
