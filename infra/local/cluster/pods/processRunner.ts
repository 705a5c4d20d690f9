import { spawn } from "node:child_process";
import {
  existsSync,
  type FSWatcher,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  watch,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isStorageFull } from "../../../../shared/base/errors/storageFull.ts";
import type { Cluster } from "../controllers/controller.ts";
import { type KubeObject, timestamp } from "../model/object.ts";
import type { Container, ContainerState, ContainerStatus, Pod, PodStatus } from "../model/workloads.ts";
import { MissingReference } from "./environment.ts";
import { namespacesAllowed } from "./isolation.ts";
import type { PodRunner } from "./kubelet.ts";
import { planPod } from "./plan.ts";
import { containerStatus, podAddress, podConditions } from "./playedStatus.ts";
import type { ContainerRun, ShimState } from "./shim.ts";

const shimPath = fileURLToPath(new URL("./shim.ts", import.meta.url));
const retryMilliseconds = 1_000;
const checkMilliseconds = 500;

/** Runs the pods of Jobs through one shim process each and reports what the shim says as the pod's status. */
export class LocalPodRunner implements PodRunner {
  readonly #cluster: Cluster;
  readonly #folder: string;
  readonly #hidden: readonly string[];
  readonly #log: (line: string) => void;
  readonly #runs = new Map<string, Run>();
  #separates: boolean | undefined;
  #hasWarned = false;

  /** @param hidden folders of this machine that are empty for containers, where they run in namespaces of their own */
  constructor(cluster: Cluster, folder: string, hidden: readonly string[], log: (line: string) => void) {
    this.#cluster = cluster;
    this.#folder = folder;
    this.#hidden = hidden;
    this.#log = log;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#removeStrays();
    cluster.api.store.subscribe("pods", (change) => {
      if (change.type === "DELETED") this.#forget(change.object.metadata.uid);
    });
  }

  /** Where the logs and the state of a pod are. */
  folderOf(pod: KubeObject): string {
    return join(this.#folder, "pods", pod.metadata.uid);
  }

  start(pod: Pod): void {
    if (this.#runs.has(pod.metadata.uid)) return;
    const folder = this.folderOf(pod);
    const state = readState(folder);
    if (state) {
      this.#follow(pod, folder);
      return;
    }
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const plan = planPod(
        this.#cluster,
        pod,
        { pod: folder, claims: join(this.#folder, "claims"), hidden: this.#hidden },
        this.#canSeparate(),
      );
      writeFileSync(join(folder, "plan.json"), JSON.stringify(plan), { mode: 0o600 });
    } catch (error) {
      if (!(error instanceof MissingReference)) throw error;
      this.#wait(pod, error.message);
      return;
    }
    this.#follow(pod, folder);
    this.#warnOnce();
    spawn(process.execPath, [shimPath, folder], { detached: true, stdio: "ignore", env: {}, cwd: folder }).unref();
  }

  #canSeparate(): boolean {
    this.#separates ??= namespacesAllowed();
    return this.#separates;
  }

  #warnOnce(): void {
    if (this.#hasWarned || this.#canSeparate()) return;
    this.#hasWarned = true;
    this.#log(
      "jobs run without isolation, because `unshare` cannot make user and mount namespaces here: paths of volumes are replaced in their scripts, which see all other files of this machine, Slipway's keys and your home among them. Start Slipway with KUBECONFIG to run them in a cluster.",
    );
  }

  /** Asks the shim to end the pod; true when there is no shim, or no longer one. */
  stop(pod: KubeObject): boolean {
    const run = this.#runs.get(pod.metadata.uid);
    clearTimeout(run?.retry);
    const state = readState(this.folderOf(pod));
    if (!state || state.done || !isAlive(state.pid)) return true;
    try {
      process.kill(state.pid, "SIGTERM");
    } catch {
      return true;
    }
    if (!run) this.#follow(pod as Pod, this.folderOf(pod));
    return false;
  }

  /** Stops looking; the pods go on and are found again by the next start. */
  async close(): Promise<void> {
    for (const run of this.#runs.values()) run.end();
    this.#runs.clear();
  }

  /** Folders of pods that went while no runner looked. */
  #removeStrays(): void {
    const folder = join(this.#folder, "pods");
    const known = new Set(this.#cluster.list("pods").map((pod) => pod.metadata.uid));
    for (const uid of existsSync(folder) ? readdirSync(folder) : []) if (!known.has(uid)) this.#forget(uid);
  }

  #forget(uid: string): void {
    this.#runs.get(uid)?.end();
    this.#runs.delete(uid);
    rmSync(join(this.#folder, "pods", uid), { recursive: true, force: true });
  }

  /** A reference that is missing may still come. */
  #wait(pod: Pod, message: string): void {
    const waiting = { waiting: { reason: "CreateContainerConfigError", message } };
    const statuses = pod.spec.containers.map((container) => containerStatus(container, waiting, false));
    this.#cluster.writeStatus("pods", pod, {
      ...pod.status,
      conditions: podConditions(pod, false),
      containerStatuses: statuses,
    });
    this.#startLater(pod);
  }

  #startLater(pod: Pod): void {
    const { uid, namespace = "", name } = pod.metadata;
    const retry = setTimeout(() => {
      this.#runs.delete(uid);
      const live = this.#cluster.get<Pod>("pods", namespace, name);
      if (live?.metadata.uid !== uid || live.metadata.deletionTimestamp) return;
      unlessFull(
        () => this.start(live),
        () => this.#startLater(live),
      );
    }, retryMilliseconds);
    this.#runs.set(uid, { retry, end: () => clearTimeout(retry) });
  }

  #follow(pod: Pod, folder: string): void {
    const { uid, namespace = "", name } = pod.metadata;
    let watcher: FSWatcher | undefined;
    let missed = 0;
    const look = () => {
      const live = this.#cluster.get<Pod>("pods", namespace, name);
      const state = readState(folder);
      if (!live || live.metadata.uid !== uid) return end();
      if (!state) return ++missed > 20 ? this.#lost(live, { pid: 0, containers: {} }, end) : undefined;
      if (!state.done && !isAlive(state.pid)) {
        const last = readState(folder) ?? state;
        if (!last.done) return this.#lost(live, last, end);
      }
      this.#report(live, readState(folder) ?? state);
      if (state.done) end();
    };
    // What cannot be stored is seen again at the next look.
    const lookUnlessFull = () => unlessFull(look, () => {});
    const timer = setInterval(lookUnlessFull, checkMilliseconds);
    const end = () => {
      clearInterval(timer);
      watcher?.close();
    };
    if (existsSync(folder)) watcher = watch(folder, (_, file) => void (file === "state.json" && lookUnlessFull()));
    this.#runs.set(uid, { end });
  }

  /** The shim is gone without a last word: it was killed. */
  #lost(pod: Pod, state: ShimState, end: () => void): void {
    const at = timestamp();
    for (const { name } of pod.spec.containers) {
      const run = state.containers[name];
      if (run?.phase === "terminated") continue;
      state.containers[name] = {
        phase: "terminated",
        restarts: run?.restarts ?? 0,
        startedAt: run?.startedAt ?? at,
        finishedAt: at,
        exitCode: 137,
      };
    }
    this.#report(pod, { ...state, done: "Failed" });
    end();
  }

  #report(pod: Pod, state: ShimState): void {
    if (pod.metadata.deletionTimestamp) {
      if (state.done) this.#cluster.removePod(pod);
      return;
    }
    this.#cluster.writeStatus("pods", pod, statusOf(pod, state, pod.status.podIP ?? podAddress(this.#cluster)));
  }
}

function unlessFull(work: () => void, otherwise: () => void): void {
  try {
    work();
  } catch (error) {
    if (!isStorageFull(error)) throw error;
    otherwise();
  }
}

interface Run {
  retry?: NodeJS.Timeout;
  end(): void;
}

/** What the shim of a pod last wrote; undefined before its first word. */
export function readState(folder: string): ShimState | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, "state.json"), "utf8"));
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function statusOf(pod: Pod, state: ShimState, podIP: string): PodStatus {
  const { containers, initContainers = [] } = pod.spec;
  const running = containers.some((container) => state.containers[container.name]?.phase === "running");
  const initialized = initContainers.every((container) => state.containers[container.name]?.exitCode === 0);
  const phase =
    state.done ??
    (initialized && containers.some((c) => state.containers[c.name]?.phase !== "waiting") ? "Running" : "Pending");
  const reason = state.done === "Succeeded" ? "PodCompleted" : "ContainersNotReady";
  return {
    ...pod.status,
    phase,
    ...(state.reason
      ? { reason: state.reason, message: "Pod was active on the node longer than the specified deadline" }
      : {}),
    conditions: podConditions(pod, running && !state.done, reason, initialized),
    hostIP: "127.0.0.1",
    hostIPs: [{ ip: "127.0.0.1" }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: pod.status.startTime ?? timestamp(),
    ...(initContainers.length > 0
      ? { initContainerStatuses: initContainers.map((c) => runStatus(c, state.containers[c.name], "PodInitializing")) }
      : {}),
    containerStatuses: containers.map((c) =>
      runStatus(c, state.containers[c.name], initialized ? "ContainerCreating" : "PodInitializing"),
    ),
  };
}

function runStatus(container: Container, run: ContainerRun | undefined, waitingReason: string): ContainerStatus {
  return {
    ...containerStatus(container, runState(run, waitingReason), run?.phase === "running"),
    restartCount: run?.restarts ?? 0,
  };
}

function runState(run: ContainerRun | undefined, waitingReason: string): ContainerState {
  if (run?.phase === "running") return { running: { startedAt: run.startedAt ?? timestamp() } };
  if (run?.phase !== "terminated") return { waiting: { reason: waitingReason } };
  return {
    terminated: {
      exitCode: run.exitCode ?? 137,
      reason: run.exitCode === 0 ? "Completed" : "Error",
      ...(run.message ? { message: run.message } : {}),
      startedAt: run.startedAt ?? timestamp(),
      finishedAt: run.finishedAt ?? timestamp(),
    },
  };
}
