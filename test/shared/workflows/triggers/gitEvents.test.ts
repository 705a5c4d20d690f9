import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type GitVendor, gitVendors } from "../../../../shared/integrations/rules/codeHosts/providers.ts";
import { gitEventOf } from "../../../../shared/workflows/triggers/git/readEvent.ts";
import { verdictOn } from "../../../../shared/workflows/triggers/git/verdict.ts";
import type { GitEventName } from "../../../../shared/workflows/triggers/rules/trigger.ts";
import { commit, rows } from "./vendorEvents.ts";

const cells = rows.flatMap(({ happens, calls, becomes }) =>
  gitVendors.map((vendor) => [happens, vendor, calls[vendor]?.body, becomes] as const),
);

describe("what a code host tells of", () => {
  test.for(cells)("%s (%s)", ([, vendor, body, becomes]) => {
    const found = gitEventOf(vendor, body);
    if (becomes === undefined) return expect(found).toBeUndefined();
    if (becomes instanceof RegExp) return expect(found).toMatchObject({ quiet: expect.stringMatching(becomes) });
    expect(found).toMatchObject(becomes);
  });

  test("is the table of the documentation, row by row", () => {
    const page = readFileSync(new URL("../../../../docs/triggers.md", import.meta.url), "utf8");
    const from = page.indexOf("| What happens | ");
    const table = page.slice(from, page.indexOf("\n\n", from)).split("\n").slice(2);
    const shown = table.map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
    expect(shown.map(([happens]) => happens)).toEqual(rows.map(({ happens }) => happens));
    for (const [at, { calls, becomes }] of rows.entries()) {
      const words = (vendor: GitVendor) => calls[vendor]?.event;
      const [, github, gitlab, gitea, gitee, becoming] = shown[at] ?? [];
      for (const [vendor, cell] of Object.entries({ github, gitlab, gitea, gitee }) as [GitVendor, string][])
        expect(cell).toContain(`\`${words(vendor)}\``);
      expect(becoming).toContain(becomes === undefined || becomes instanceof RegExp ? "nothing" : becomes.event);
    }
  });
});

describe("a trigger", () => {
  const listener = (events: GitEventName[], more: object = {}) =>
    ({ enabled: true, events, branch: "", folders: [], ...more }) as const;
  const happened = (vendor: GitVendor, body: object) => {
    const found = gitEventOf(vendor, body);
    if (found === undefined) throw new Error("nothing happened");
    return found;
  };
  const row = (happens: string, vendor: GitVendor) => {
    const body = rows.find((one) => one.happens === happens)?.calls[vendor]?.body;
    return happened(vendor, body ?? {});
  };

  test.for(gitVendors)("starts for a fork of %s only where forks are allowed", (vendor) => {
    const event = row("… from a fork", vendor);
    expect(verdictOn(listener(["pull_request"]), event)).toMatchObject({
      problem: expect.stringContaining("fork dev2/web"),
    });
    expect(verdictOn(listener(["pull_request"], { allowsForks: true }), event)).toBe("starts");
    expect(verdictOn(listener(["pull_request"]), row("A pull request is opened", vendor))).toBe("starts");
    expect(
      verdictOn(listener(["pull_request_merged"]), { ...row("… is merged", vendor), fork: "dev2/web" } as never),
    ).toBe("starts");
  });

  test("takes a pull request from a repository that was deleted for one from a fork", () => {
    const pull_request = {
      number: 7,
      head: { ref: "x", sha: commit, repo: null },
      base: { ref: "main", repo: { id: 1 } },
    };
    expect(happened("github", { action: "synchronize", pull_request })).toMatchObject({
      fork: "a repository that was deleted",
    });
  });

  test.for([
    ["Release 1.2 [skip ci]", false],
    ["[ci skip] docs", false],
    ["body\n\n[Skip CI]", false],
    ["skip ci", true],
    ["[skip cinema]", true],
  ] as const)("with the message %j of the head commit: starts %s", ([message, starts]) => {
    const head = { id: commit, message, added: [], modified: ["a"], removed: [] };
    const older = { ...head, id: "b".repeat(40), message: "older [skip ci]" };
    const bodies: [GitVendor, object][] = [
      ["github", { ref: "refs/heads/main", after: commit, commits: [older, head], head_commit: head }],
      ["gitlab", { ref: "refs/heads/main", after: commit, commits: [older, head] }],
      ["gitea", { ref: "refs/heads/main", after: commit, commits: [head, older] }],
      ["gitee", { ref: "refs/tags/v1", after: commit, commits: [older, head], head_commit: head }],
    ];
    for (const [vendor, body] of bodies) {
      const verdict = verdictOn(listener(["push", "tag"]), happened(vendor, body));
      if (starts) expect(verdict).toBe("starts");
      else expect(verdict).toMatchObject({ problem: expect.stringContaining("c0ffee000000 says [") });
    }
    const merge = { iid: 7, action: "open", last_commit: { id: commit, message } };
    const opened = verdictOn(
      listener(["pull_request"]),
      happened("gitlab", { object_kind: "merge_request", object_attributes: merge }),
    );
    expect(opened === "starts").toBe(starts);
  });

  test("is not concerned by pull requests where it listens to none, nor while it is off", () => {
    const label = row("… has another label", "github");
    expect(verdictOn(listener(["push"]), label)).toBe("not concerned");
    expect(verdictOn(listener(["pull_request"]), label)).toMatchObject({
      problem: expect.stringContaining("no new commits"),
    });
    expect(verdictOn(listener(["pull_request"], { enabled: false }), label)).toBe("not concerned");
    expect(verdictOn(listener(["tag"]), row("A branch is pushed, or made", "gitlab"))).toEqual({
      problem: "it does not listen to push",
    });
  });
});
