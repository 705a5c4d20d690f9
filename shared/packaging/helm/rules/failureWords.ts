import { shortRefusal } from "../../../kube/rules/shortRefusal.ts";

const longest = 2000;

/**
 * What Helm wrote when it failed, in words for users: which template or object it was and why, without addresses and
 * folders of this process.
 */
export function failureWords(stderr: string): string {
  const text = stderr
    .split("\n")
    .filter((line) => !/^(?:level=|time=|I\d{4}|W\d{4}|WARNING|coalesce)/.test(line.trim()))
    .join("\n")
    .replaceAll(/https?:\/\/127\.0\.0\.1:\d+\/[\w-]+/g, "the cluster")
    .replaceAll(/\/[^\s"':]*slipway-helm-[\w-]+\//g, "")
    .replace(/^[\s\S]*?\bError: /, "");
  const template =
    /template: ([^:]+):(\d+)(?::\d+)?: ([\s\S]*)/.exec(text) ??
    /execution error at \(([^:]+):(\d+)(?::\d+)?\): ([\s\S]*)/.exec(text);
  if (template !== null) {
    const [, file = "", line = "", why = ""] = template;
    return cut(
      `template ${file.replace(/^[^/]+\//, "")}, line ${line}: ${why.replace(/^executing "[^"]*" at /, "at ")}`,
    );
  }
  return cut(text.replace(/^(?:UPGRADE|INSTALLATION) FAILED: /, ""));
}

/** How the API server refuses another pod template of a Job. */
const jobRefusal =
  /Job\.batch "[^"]+" is invalid: (?:[\s\S]*?)spec\.template: (?:Invalid value: [^:]*: )?field is immutable/;

function cut(text: string): string {
  const plain = shortRefusal(text)
    .replace(/\bUse --debug flag[^\n]*/, "")
    .replaceAll(/[\s;]*\n[\s;]*/g, "; ")
    .replace(/^[\s;]+|[\s;]+$/g, "")
    .replace(
      jobRefusal,
      (found) => `${found}; a Job cannot be changed: make it a hook, or give it another name in each release`,
    );
  return plain === "" ? "Helm failed and did not say why" : plain.slice(0, longest);
}
