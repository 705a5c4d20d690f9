import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Metafile } from "esbuild";
import { bundle } from "../../../infra/aws/functions/bundle.ts";

export interface Bundled {
  /** A folder that holds `index.mjs`, its late parts, and nothing else. */
  directory: string;
  /** Bytes of all files that ship. */
  shippedBytes: number;
  /** Bytes of them that are neither the AWS SDK nor the Smithy runtime below it. */
  ownBytes: number;
  /** Bytes that are loaded before the first event. */
  eagerBytes: number;
  /** Commands of AWS clients that the files have code for, as `client/Command`. */
  commands: string[];
  /** Whether they have code of a file, named from the root of the repository. */
  hasCodeOf(file: string): boolean;
  remove(): void;
}

const sdk = /node_modules\/@(aws-sdk|smithy|aws|aws-crypto)\//;
const command = /node_modules\/@aws-sdk\/(client-[a-z0-9-]+|lib-dynamodb)\/dist-es\/commands\/(\w+)Command\.js$/;

/** Bundles a function exactly as the stack does, into a folder below the machine's temporary one. */
export function bundled(entry: string): Bundled {
  const directory = mkdtempSync(join(tmpdir(), "slipway-bundle-"));
  const { outputs } = bundle(entry, directory);
  const inputs = Object.values(outputs)
    .flatMap((output) => Object.entries(output.inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  const shippedBytes = sum(Object.values(outputs).map(({ bytes }) => bytes));
  return {
    directory,
    shippedBytes,
    ownBytes:
      shippedBytes - sum(inputs.filter(([path]) => sdk.test(path)).map(([, { bytesInOutput }]) => bytesInOutput)),
    eagerBytes: sum(eagerFiles(outputs).map((file) => outputs[file]?.bytes ?? 0)),
    commands: inputs.flatMap(([path]) => {
      const [, client, name] = command.exec(path) ?? [];
      return client === undefined ? [] : [`${client}/${name}`];
    }),
    hasCodeOf: (file) => inputs.some(([path]) => path === file),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** The entry's file and what it imports at once, directly or through others. */
function eagerFiles(outputs: Metafile["outputs"]): string[] {
  const entry = Object.keys(outputs).find((file) => file.endsWith("/index.mjs"));
  const eager = new Set(entry === undefined ? [] : [entry]);
  for (const file of eager)
    for (const { path, kind } of outputs[file]?.imports ?? [])
      if (kind === "import-statement" && path in outputs) eager.add(path);
  return [...eager];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
