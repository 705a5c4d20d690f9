import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdtempSync, readdirSync, readlinkSync, realpathSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A file or folder of this machine that a container sees at a path. */
export interface Mount {
  source: string;
  target: string;
}

/** Whether this machine lets an ordinary process have user and mount namespaces of its own. Starts a process. */
export function namespacesAllowed(): boolean {
  const root = mkdtempSync(join(tmpdir(), "slipway-root-"));
  try {
    const [program = "", ...rest] = isolated({ command: ["true"], workingDir: "/", root, mounts: [], hidden: [] });
    return spawnSync(program, rest, { stdio: "ignore", timeout: 5_000 }).status === 0;
  } finally {
    rmdirSync(root);
  }
}

interface Isolation {
  command: readonly string[];
  workingDir: string;
  /** An empty folder, to mount the new root on. */
  root: string;
  mounts: readonly Mount[];
  /** Folders of this machine that are empty inside. */
  hidden: readonly string[];
}

/**
 * The command line that runs a command with the mounts in place: a root of its own in which everything of this machine
 * is bound where it was, except what the mounts cover and what is hidden. The old root is gone, and the command runs in
 * user and mount namespaces below those that made this: it cannot take away what hides a folder.
 */
export function isolated({ command, workingDir, root, mounts, hidden }: Isolation): string[] {
  const tree = treeOf(mounts);
  const covered = outermost(hidden);
  const script = [
    "set -e",
    'root="$1"; shift',
    'mount -t tmpfs tmpfs "$root"',
    ...bindings("/", tree, covered),
    ...covered.flatMap((path) => hide(path, tree)),
    'cd "$root"; mkdir .old; pivot_root . .old; cd /; umount -l /.old; rmdir /.old',
    // The path is looked up inside, after the change of root, so that a relative command is found there.
    `exec ${ownNamespaces.join(" ")} sh -c 'cd "$1" && shift && exec "$@"' sh "$@"`,
  ];
  const shell = ["sh", "-c", script.join("\n"), "sh", root, workingDir, ...command];
  return [...ownNamespaces, ...shell];
}

const ownNamespaces = ["unshare", "--user", "--map-root-user", "--mount", "--propagation", "private"];

/** Folders that are there, without those inside of others; all of a machine cannot be hidden. */
function outermost(hidden: readonly string[]): string[] {
  const there = hidden.filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
  const real = [...new Set(there.map((path) => realpathSync(path)))].filter((path) => path !== "/");
  return real.filter((path) => !real.some((other) => path.startsWith(`${other}/`)));
}

/** Covers a folder where the whole of the machine is, and where it was unless a volume or links are there. */
function hide(path: string, tree: Node): string[] {
  const cover = (place: string) => `mount -t tmpfs -o ro,size=4k tmpfs "$root"${quote(place)}`;
  const [top = ""] = path.split("/").filter(Boolean);
  return [cover(hostRoot + path), ...(tree.children.has(top) ? [] : [cover(path)])];
}

interface Node {
  source?: string;
  children: Map<string, Node>;
}

function treeOf(mounts: readonly Mount[]): Node {
  const root: Node = { children: new Map() };
  for (const mount of mounts) {
    let node = root;
    for (const part of resolve(mount.target).split("/").filter(Boolean)) {
      const next = node.children.get(part) ?? { children: new Map() };
      node.children.set(part, next);
      node = next;
    }
    node.source = mount.source;
  }
  return root;
}

/** The path with links on the way resolved as far as it exists, so that /var/run is /run where it is on this machine. */
function resolve(path: string): string {
  if (path === "/" || existsSync(path)) return existsSync(path) ? realpathSync(path) : path;
  return join(resolve(dirname(path)), path.slice(dirname(path).length).replace(/^\//, ""));
}

/** Where the whole of this machine is inside the new root, for links to what shares a folder with a mount. */
const hostRoot = "/.host";

function bindings(path: string, node: Node, hidden: readonly string[]): string[] {
  const inside = (name: string) => `"$root"${quote(join(path, name))}`;
  const isFolder = existsSync(path) && !node.source && lstatSync(path).isDirectory();
  const isHidden = hidden.some((one) => path === one || path.startsWith(`${one}/`));
  const host = isFolder && !isHidden ? readdirSync(path).filter((name) => !node.children.has(name)) : [];
  const lines = path === "/" ? [...host.map(bindTop), bindFolder("/", hostRoot)] : linkAll(path, host);
  for (const [name, child] of node.children) {
    const { source } = child;
    const target = join(path, name);
    if (source && !lstatSync(source).isDirectory())
      lines.push(`: > ${inside(name)}; mount --bind ${quote(source)} ${inside(name)}`);
    else if (source) lines.push(bindFolder(source, target));
    else lines.push(`mkdir ${inside(name)}`);
    if (child.children.size > 0) lines.push(...bindings(target, child, hidden));
  }
  return lines;
}

function bindFolder(source: string, target: string): string {
  return `mkdir -p "$root"${quote(target)}; mount --rbind ${quote(source)} "$root"${quote(target)}`;
}

function bindTop(name: string): string {
  const entry = `/${name}`;
  const kind = lstatSync(entry, { throwIfNoEntry: false });
  if (kind?.isSymbolicLink()) return `ln -s ${quote(readlinkSync(entry))} "$root"${quote(entry)}`;
  return kind?.isDirectory() ? bindFolder(entry, entry) : ":";
}

/** Binding hundreds of neighbours would take a second; links take none. */
function linkAll(path: string, names: string[]): string[] {
  if (names.length === 0) return [];
  return [`ln -s ${names.map((name) => quote(hostRoot + join(path, name))).join(" ")} "$root"${quote(path)}/`];
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Where namespaces are not allowed: the text with each mounted path replaced by where it really is. */
export function rewritePaths(text: string, mounts: Mount[]): string {
  const byLength = mounts.toSorted((a, b) => b.target.length - a.target.length);
  return byLength.reduce((result, { source, target }) => {
    const escaped = target.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return result.replace(new RegExp(`(?<![\\w./-])${escaped}(?![\\w-])`, "g"), () => source);
  }, text);
}
