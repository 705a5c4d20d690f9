import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nowSeconds } from "../../../../shared/base/store/ids.ts";
import { collectContainerJob } from "../../../../shared/workflows/pods/collectContainerJob.ts";
import type {
  ContainerJobRef,
  ContainerStep,
  EnvironmentVariable,
  JobRepository,
} from "../../../../shared/workflows/pods/rules/containerJob.ts";
import { storeContainerLog } from "../../../../shared/workflows/pods/storeContainerLog.ts";
import { type GitServer, hasGit, startGitServer } from "../../../harness/gitServer.ts";
import { type JobHarness, script, startJobHarness, storedText } from "../../../harness/jobHarness.ts";

const password = "glpat-tok3n+with/signs";

if (!hasGit) {
  console.warn("SKIPPED: cloning. This machine has no git with its http-backend.");
  describe.skip("cloning: git is not installed", () => test("skipped", () => {}));
} else {
  describe("a job clones", () => {
    let harness: JobHarness;
    let server: GitServer;
    let commits: Record<string, string>;

    const repository = (changes: Partial<JobRepository> = {}): JobRepository => ({
      address: `${server.url}/shop/web.git`,
      access: { kind: "password", username: "oauth2", password },
      checkoutPath: "web",
      remoteName: "origin",
      tag: "",
      commitId: "",
      branch: "",
      mergeBranches: [],
      pullRequests: [],
      pullRefs: "pull",
      submodules: false,
      disableSsl: false,
      commitVariable: "",
      ...changes,
    });
    const run = async (
      repositories: readonly JobRepository[],
      look: string,
      env: readonly EnvironmentVariable[] = [],
    ) => {
      const git: ContainerStep = { kind: "git", name: "git", repositories };
      const ref: ContainerJobRef = await harness.start(harness.job([git, script(look)], { env }));
      await harness.ended(ref);
      await storeContainerLog(ref, "jobs/git.log");
      const log = await storedText("jobs/git.log");
      const options = { deadline: nowSeconds() + 600, outputs: [] };
      const { outcome, error, commits: told } = await collectContainerJob(ref, options);
      return { outcome, error, log, told: [...(told ?? [])], shown: log.split("== look\n")[1] };
    };
    const look = (text: string): string => `echo "== look"; cd web; ${text}`;

    beforeAll(async () => {
      [harness, server] = await Promise.all([startJobHarness(), startGitServer({ password })]);
      const library = server.repository("shop/library.git");
      const inLibrary = library.commit("main", { "lib.txt": "library\n" });
      const web = server.repository("shop/web.git");
      const first = web.commit("main", { "a.txt": "one\n", "same.txt": "base\n" }, { message: "first" });
      web.refer("refs/tags/v1", first);
      const second = web.commit("main", { "a.txt": "two\n" });
      const left = web.commit("left", { "left.txt": "left\n" }, { from: second });
      const right = web.commit("right", { "right.txt": "right\n" }, { from: second });
      web.commit("feature/x", { "x.txt": "x\n" }, { from: second });
      const clash = web.commit("clash", { "left.txt": "other\n" }, { from: second });
      for (const [number, commit] of [left, right, clash].entries()) {
        web.refer(`refs/pull/${number + 1}/head`, commit);
        web.refer(`refs/merge-requests/${number + 1}/head`, commit);
      }
      web.commit("modules", { "m.txt": "m\n" }, { from: second });
      web.submodule("modules", "library", "../library.git", inLibrary);
      commits = { first, second };
    });

    afterAll(async () => {
      await Promise.all([harness.close(), server.close()]);
    });

    test("a branch with a token that stands in no file and no log", async () => {
      const ended = await run(
        [repository({ branch: "main" })],
        look("cat a.txt; git rev-parse --abbrev-ref HEAD; cat .git/config; env; ls -a"),
      );
      expect(ended.outcome).toBe("passed");
      expect(ended.shown).toMatch(/^two\nmain\n/);
      expect(ended.log).toContain(`at ${commits.second} change`);
      expect(ended.log).not.toContain(password);
      expect(ended.log).not.toContain("******");
    });

    test("a tag before a commit, a commit before a branch", async () => {
      const tag = await run(
        [repository({ tag: "v1", commitId: commits.second ?? "", branch: "left" })],
        look("cat a.txt; ls"),
      );
      expect(tag.shown).toBe("one\na.txt\nsame.txt\n");
      const commit = await run([repository({ commitId: commits.first ?? "", branch: "left" })], look("cat a.txt; ls"));
      expect(commit.shown).toBe("one\na.txt\nsame.txt\n");
    });

    test("pull requests and branches merged onto a branch in their order", async () => {
      const given = { branch: "main", mergeBranches: ["feature/x"], pullRequests: [1, 2] };
      const merged = await run([repository(given)], look("ls; git log --format=%s --merges | wc -l"));
      expect(merged.shown).toBe("a.txt\nleft.txt\nright.txt\nsame.txt\nx.txt\n2\n");
      expect(merged.log).toMatch(/merged branch feature\/x\nmerged pull request 1\nmerged pull request 2\n/);
    });

    test("a pull request alone, and merge requests of GitLab", async () => {
      expect((await run([repository({ pullRequests: [1] })], look("ls"))).shown).toBe("a.txt\nleft.txt\nsame.txt\n");
      const gitlab = repository({ branch: "main", pullRequests: [2], pullRefs: "merge-requests" });
      expect((await run([gitlab], look("ls"))).shown).toBe("a.txt\nright.txt\nsame.txt\n");
    });

    test("nothing that does not merge: the files in conflict are named, and the script does not run", async () => {
      const ended = await run([repository({ branch: "main", pullRequests: [1, 3] })], look("ls"));
      expect([ended.outcome, ended.error]).toEqual([
        "failed",
        "step git ended with exit code 1: pull request 3 cannot be merged",
      ]);
      expect(ended.log).toMatch(/pull request 3 cannot be merged; in conflict:\nleft.txt\n$/);
    });

    test("a branch that there is not ends with a sentence that names the repository", async () => {
      const ended = await run([repository({ branch: "gone" })], look("ls"));
      expect(ended.error).toBe(
        `step git ended with exit code 128: ${server.url}/shop/web.git could not be cloned; the log says why`,
      );
      expect(ended.log).toMatch(/couldn't find remote ref refs\/heads\/gone/);
    });

    test("and tells which commits it checked out, also to the scripts, where they have no value", async () => {
      const message =
        "What's new? #KIND=it's $(id) new# #GIVEN=other# #2BAD=x#\n\nmore #BODY=yes# #LD_PRELOAD=/tmp/evil.so# #BASH_ENV=/workspace/said/evil# " +
        `#${"L".repeat(99)}=x#`;
      const said = server.repository("shop/said.git").commit("main", { "b.txt": "b\n" }, { message });
      const ended = await run(
        [
          repository({ branch: "main", pullRequests: [1], commitVariable: "web_COMMIT_ID" }),
          repository({
            ...{ address: `${server.url}/shop/said.git`, branch: "main", checkoutPath: "said" },
            commitVariable: "said_COMMIT_ID",
          }),
        ],
        look(
          'echo "$web_COMMIT_ID $said_COMMIT_ID"; echo "$mode $name"; for name in KIND GIVEN BODY LD_PRELOAD; do ' +
            'eval "echo $name=\\$SLIPWAY_COMMIT_$name,\\$$name"; done; env | grep -c "BASH_ENV=\\|LLL"',
        ),
        Object.entries({ SLIPWAY_COMMIT_GIVEN: "mine", web_COMMIT_ID: "", mode: "fast", name: "ada" }).map(
          ([name, value]) => ({
            name,
            value,
          }),
        ),
      );
      const time = expect.toSatisfy((told) => Math.abs(Date.now() / 1000 - told) < 24 * 3600);
      expect(ended.told).toEqual([
        [0, { id: commits.second, time, author: "Ada", message: "change" }],
        [1, { id: said, time, author: "Ada", message: message.split("\n")[0] }],
      ]);
      expect(ended.shown).toBe(
        `${commits.second} ${said}\nfast ada\nKIND=it's $(id) new,\nGIVEN=mine,\nBODY=yes,\n` +
          "LD_PRELOAD=/tmp/evil.so,\n1\n",
      );
    });

    test("submodules of the same host with the same token, several repositories, other folders and remotes", async () => {
      const ended = await run(
        [
          repository({ branch: "modules", submodules: true }),
          repository({
            address: `${server.url}/shop/library.git`,
            branch: "main",
            checkoutPath: "deep/lib",
            remoteName: "up",
          }),
        ],
        look("cat library/lib.txt; cd ../deep/lib; git remote; cat lib.txt"),
      );
      expect(ended.shown).toBe("library\nup\nlibrary\n");
    });

    test("nothing without the right token, which it does not tell", async () => {
      const wrong = { kind: "password", username: "oauth2", password: "wr0ng-token" } as const;
      const ended = await run([repository({ branch: "main", access: wrong })], look("ls"));
      expect(ended.outcome).toBe("failed");
      expect(ended.log).not.toContain("wr0ng-token");
      expect((await run([repository({ branch: "nowhere" })], look("ls"))).outcome).toBe("failed");
    });

    test("for no other host than its own: a submodule elsewhere is not given the token", async () => {
      const other = await startGitServer({ password: "x" });
      try {
        const elsewhere = server.repository("shop/elsewhere.git");
        const commit = elsewhere.commit("main", { "e.txt": "e\n" });
        elsewhere.submodule("main", "stolen", `${other.url}/any.git`, commit);
        const given = repository({ address: `${server.url}/shop/elsewhere.git`, branch: "main", submodules: true });
        const ended = await run([given], look("ls"));
        expect(ended.outcome).toBe("failed");
        expect(other.requests.length).toBeGreaterThan(0);
        expect(other.requests.every((request) => request.startsWith("401"))).toBe(true);
      } finally {
        await other.close();
      }
    });

    test("what is called like code, and runs none of it", async () => {
      const name = ["a$(touch$", "{IFS}owned)b;touch`owned`"].join("");
      server.repository("shop/odd.git").commit(name, { "odd.txt": "odd\n" });
      const odd = repository({
        address: `${server.url}/shop/odd.git`,
        branch: name,
        checkoutPath: "web/$(touch owned)",
      });
      const ended = await run(
        [odd],
        'echo "== look"; ls "/workspace/web/\\$(touch owned)"; find /workspace -name "*owned" -not -name "*touch*"',
      );
      expect([ended.outcome, ended.shown]).toEqual(["passed", "odd.txt\n"]);
    });
  });
}
