import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { parseOutboundPolicy } from "../../shared/base/settings/outboundPolicy.ts";
import { openImageCopier } from "../../shared/packaging/images/copy/imageCopier.ts";
import {
  digestOf,
  type Pushed,
  pusher,
  startTestRegistry,
  type TestRegistry,
  type TestRegistryOptions,
} from "./testRegistry.ts";

const credentials = { username: "robot", password: "its-secret-word" };
const login = async () => credentials;
const basic = { authorization: `Basic ${Buffer.from("robot:its-secret-word").toString("base64")}` };
const size = 900_000;

/** A copy in a process of its own, from one image to the other. */
function startCopy(...args: string[]) {
  const script = fileURLToPath(new URL("./copyWithNotes.ts", import.meta.url));
  const child = spawn(process.execPath, [script, ...args]);
  const said = text(child.stderr);
  return {
    kill: () => child.kill("SIGKILL"),
    /** What it printed. @throws what it complained of when it ended by itself without a word */
    ended: text(child.stdout).then(async (printed) => {
      if (printed === "" && (await said) !== "") throw new Error(await said);
      return printed;
    }),
  };
}

/**
 * What has to come of a copy between two registries of a kind when one of them, or what lies before it, misbehaves.
 * @param resumes whether it goes on with an upload whose last chunk was cut, or confirmed to somebody who is gone
 */
export function troubleSuite(
  name: string,
  start: (options: TestRegistryOptions) => Promise<TestRegistry>,
  { resumes }: { resumes: boolean },
): void {
  describe(`copies in trouble between two registries of ${name}`, () => {
    let source: TestRegistry;
    let target: TestRegistry;
    let other: TestRegistry;
    let push: ReturnType<typeof pusher>;
    const paused: number[] = [];
    let count = 0;

    beforeAll(async () => {
      [source, target, other] = await Promise.all([
        start({ credentials }),
        start({ credentials }),
        startTestRegistry(),
      ]);
      push = pusher(source.address, basic);
    });

    afterAll(() => Promise.all([source.close(), target.close(), other.close()]));

    afterEach(() => {
      for (const registry of [source, target, other]) registry.trouble = undefined;
      paused.length = 0;
    });

    /** Pushes an image of a name of its own and copies it while the trouble is on. */
    async function copy({
      name = `team/app-${count++}`,
      from = {},
      to = {},
      reference = "v1",
      chunkBytes = 300_000,
      signal = new AbortController().signal,
      before = async () => undefined,
    }: {
      name?: string;
      from?: Partial<TestRegistry["access"]>;
      to?: Partial<TestRegistry["access"]>;
      reference?: string;
      chunkBytes?: number;
      signal?: AbortSignal;
      before?: (name: string) => Promise<unknown>;
    } = {}) {
      const [fromTrouble, toTrouble] = [source.trouble, target.trouble];
      source.trouble = target.trouble = undefined;
      const image = await push.image(name, "v1", { layers: [size] });
      await before(name);
      [source.trouble, target.trouble] = [fromTrouble, toTrouble];
      for (const registry of [source, target, other]) registry.requests.length = 0;
      const copier = openImageCopier({
        signal,
        chunkBytes,
        pause: async (milliseconds) => {
          paused.push(milliseconds);
        },
      });
      const outcome = await copier
        .copy({
          id: name,
          from: { registry: { ...source.access, login, ...from }, repository: name, reference },
          to: { registry: { ...target.access, login, ...to }, repository: name, reference: "v1" },
        })
        .finally(() => copier.close());
      expect(outcome.problem).not.toMatch(/its-secret-word|Basic |Bearer |X-Signature/);
      const stands = await pusher(target.address, basic).read(name, "v1");
      // Nothing half is to be seen.
      expect(stands).toBe(outcome.state === "passed" ? await push.read(name, "v1") : undefined);
      return { ...outcome, name, image };
    }

    const isBlob = ({ method, url = "" }: IncomingMessage) => method === "GET" && /\/blobs\/sha256:/.test(url);

    function answer(response: ServerResponse, status: number, headers: Record<string, string> = {}, body = ""): true {
      response.writeHead(status, headers).end(body);
      return true;
    }

    /** Does something the first few times that a request is of a kind. */
    function times(
      limit: number,
      is: (request: IncomingMessage) => boolean,
      act: (request: IncomingMessage, response: ServerResponse) => void,
    ) {
      let done = 0;
      return (request: IncomingMessage, response: ServerResponse): boolean => {
        if (!is(request) || done >= limit) return false;
        done++;
        act(request, response);
        return true;
      };
    }

    const fail = (code: string, message = "no") => JSON.stringify({ errors: [{ code, message }] });

    describe("trouble that ends in a sentence", () => {
      test("a registry that nobody reaches", async () => {
        const { problem, retryable } = await copy({ to: { id: "gone", address: "127.0.0.1:1" } });
        expect(problem).toMatch(
          /^127\.0\.0\.1:1\/team\/app-\d+ \(v1\): the registry cannot be reached \(ECONNREFUSED\); check its address/,
        );
        expect(retryable).toBe(true);
      });

      const last = Number.MAX_SAFE_INTEGER;
      const always = (status: number, body = "") =>
        times(
          last,
          () => true,
          (_, response) => void answer(response, status, {}, body),
        );

      test.each([
        [
          "401 without a way to log in",
          401,
          "",
          /asks for another login \(401\); register it with an access_key/,
          false,
        ],
        ["403", 403, fail("DENIED"), /refuses \(403 DENIED\); give its login the right to pull from/, false],
        ["500 for good", 500, "", /the registry fails \(500\); try again later/, true],
        ["429 for good", 429, fail("TOOMANYREQUESTS"), /takes no more requests for now \(429 TOOMANYREQUESTS\)/, true],
      ])("a source that answers %s", async (_, status, body, said, isRetryable) => {
        source.trouble = always(status, body);
        const { problem, retryable } = await copy();
        source.trouble = undefined;
        expect(problem).toMatch(said);
        expect(retryable).toBe(isRetryable);
      });

      test("a wrong password, and an image that is not there", async () => {
        const wrong = await copy({ from: { login: async () => ({ ...credentials, password: "no its-secret-w" }) } });
        expect(wrong.problem).toContain("asks for another login (401)");
        expect(wrong.problem).not.toContain("no its-secret-w");
        const missing = await copy({ reference: "v2" });
        expect(missing.problem).toMatch(/\(v2\): is not there \(404\); check the repository's name, tag or digest/);
      });

      test("a target without room", async () => {
        const isSent = ({ method }: IncomingMessage) => method === "PUT" || method === "PATCH";
        const full = fail("UNKNOWN", "write /var/lib: no space left on device");
        target.trouble = times(last, isSent, (request, response) => {
          request.resume().once("end", () => answer(response, 507, {}, full));
        });
        const { problem, retryable } = await copy();
        expect(problem).toContain("the registry has no room for it (507 UNKNOWN); free space or raise its quota");
        expect(retryable).toBe(false);
      });

      test("bytes that are not what their digest says, sent again and again", async () => {
        source.trouble = times(last, isBlob, (_, response) => {
          response.writeHead(200, { "content-length": size }).end(Buffer.alloc(size));
        });
        const { problem, retryable } = await copy();
        source.trouble = undefined;
        expect(problem).toMatch(/the registry sent bytes with the digest sha256:|sends more than the/);
        expect(retryable).toBe(false);
      });

      test("a manifest that is larger than 4 MB, and one that is not what its digest says", async () => {
        const isManifest = ({ url = "" }: IncomingMessage) => url.includes("/manifests/");
        source.trouble = times(
          last,
          isManifest,
          (_, response) => void answer(response, 200, {}, `{"a":"${"x".repeat(4 * 1024 ** 2)}"}`),
        );
        expect((await copy()).problem).toContain("the manifest is larger than 4 MB");
        source.trouble = times(last, isManifest, (_, response) => void answer(response, 200, {}, "{}"));
        expect((await copy({ reference: digestOf("another") })).problem).toContain(
          "sent a manifest with the digest sha256:",
        );
        source.trouble = undefined;
      });

      test("a tag that may not change: the same image passes, another fails for good", async () => {
        const isTag = ({ method, url = "" }: IncomingMessage) => method === "PUT" && url.endsWith("/manifests/v1");
        const code = fail(
          "TAG_INVALID",
          "The image tag 'v1' cannot be overwritten because the repository is immutable.",
        );
        const refuse = times(last, isTag, (request, response) => {
          request.resume().once("end", () => answer(response, 400, {}, code));
        });
        const there = pusher(target.address, basic);
        const name = "fixed/app";
        const image = await push.image(name, "v1", { layers: [size] });
        const stands = await there.image(name, "v1");
        target.trouble = refuse;
        const copier = openImageCopier({ signal: new AbortController().signal });
        const from = { registry: { ...source.access, login }, repository: name, reference: "v1" };
        const to = { registry: { ...target.access, login }, repository: name, reference: "v1" };
        const refused = await copier.copy({ id: name, from, to });
        expect(refused).toMatchObject({ state: "failed", retryable: false });
        expect(refused.problem).toBe(
          `${target.address}/${name}:v1: the tag is immutable there and names ${stands.digest}, not ${image.digest} (400); choose another tag`,
        );
        copier.close();
        const same = openImageCopier({ signal: new AbortController().signal });
        const back = await same.copy({ id: name, from: { ...to }, to });
        expect(back).toMatchObject({ state: "passed", digest: stands.digest, bytes: 0 });
        same.close();
      });

      test.each([
        ["team/../app", /is no name of a repository/],
        ["team/App", /has upper case letters/],
        ["elsewhere/app", /lies outside the registry's namespace team; begin it with team\//],
      ])("the name %s", async (repository, said) => {
        const copier = openImageCopier({ signal: new AbortController().signal });
        target.requests.length = source.requests.length = 0;
        const from = { registry: source.access, repository: "team/app", reference: "v1" };
        const to = { registry: { ...target.access, namespace: "team" }, repository, reference: "v1" };
        const outcome = await copier.copy({ id: "name", from, to });
        expect(outcome).toMatchObject({ state: "failed", retryable: false, bytes: 0 });
        expect(outcome.problem).toMatch(said);
        expect([...source.requests, ...target.requests]).toEqual([]);
        copier.close();
      });
    });

    describe("trouble that passes", () => {
      test("429 for a minute: the registry is given the time that it asks for, by everybody", async () => {
        target.trouble = times(
          1,
          () => true,
          (_, response) => void answer(response, 429, { "retry-after": "60" }),
        );
        expect((await copy()).state).toBe("passed");
        expect(paused).toEqual([60_000]);
      });

      test("500 twice, then good", async () => {
        source.trouble = times(
          2,
          () => true,
          (_, response) => void answer(response, 500),
        );
        expect((await copy()).state).toBe("passed");
        expect(paused).toEqual([500, 1000]);
      });

      test("a source that cuts off in the middle of a layer is asked for the rest of it", async () => {
        const ranges: (string | undefined)[] = [];
        const isLayer = (request: IncomingMessage) => isBlob(request) && !ranges.includes("done");
        source.trouble = (request, response) => {
          if (isLayer(request)) ranges.push(request.headers.range);
          // The listener of the registry answers; it is cut when a part is through.
          let sent = 0;
          const write = response.write.bind(response);
          if (isLayer(request) && ranges.length <= 3)
            response.write = ((part: Buffer, ...more: []) => {
              sent += part.length;
              if (sent > 100_000) return response.destroy() !== undefined;
              return write(part, ...more);
            }) as typeof response.write;
          return false;
        };
        const outcome = await copy();
        expect(outcome).toMatchObject({ problem: "", state: "passed" });
        expect(ranges.filter((range) => range !== undefined).length).toBeGreaterThan(0);
        for (const range of ranges) expect(range ?? "bytes=1-").toMatch(/^bytes=[1-9]\d*-$/);
      });

      test("a target that cuts off in the middle of a chunk gets the rest of it", async () => {
        let cuts = 0;
        const starts: string[] = [];
        target.trouble = (request) => {
          if (request.method !== "PATCH") return false;
          starts.push(String(request.headers["content-range"]));
          if (cuts++ === 1) request.once("data", () => request.socket.destroy());
          return false;
        };
        const outcome = await copy();
        expect(outcome).toMatchObject({ problem: "", state: "passed" });
        expect(starts.length).toBeGreaterThan(3);
        expect(starts[0]).toBe("0-299999");
        expect(starts.filter((range) => range.startsWith("0-"))).toHaveLength(1);
      });

      test("a target that takes no chunks gets the layer in one", async () => {
        target.trouble = times(
          1,
          ({ method }) => method === "PATCH",
          (request, response) => {
            request.resume().once("end", () => answer(response, 405, {}, fail("UNSUPPORTED")));
          },
        );
        expect((await copy()).state).toBe("passed");
        expect(target.requests.filter((line) => line.startsWith("PATCH"))).toHaveLength(1);
      });

      test("a target that wants no body with the request that begins an upload gets it after that", async () => {
        const isWhole = ({ method, url = "" }: IncomingMessage) => method === "POST" && url.includes("?digest=");
        target.trouble = times(1, isWhole, (request, response) => {
          request.resume().once("end", () => answer(response, 400, {}, fail("UNSUPPORTED")));
        });
        expect((await copy()).state).toBe("passed");
        expect(target.requests.filter((line) => line.includes("?digest=") && line.startsWith("POST"))).toHaveLength(1);
      });

      test("wrong bytes once are not kept", async () => {
        source.trouble = times(
          1,
          (request) => isBlob(request),
          (_, response) => {
            response.writeHead(200, { "content-length": 20 }).end(randomBytes(20));
          },
        );
        expect((await copy({ chunkBytes: size })).state).toBe("passed");
      });

      test("a tag that moves while it is copied: what it named at the beginning is copied whole", async () => {
        let image: { digest: string } | undefined;
        source.trouble = async (request) => {
          if (!isBlob(request) || image !== undefined) return false;
          image = { digest: "" };
          image = await push.image("moving/app", "v1");
          return false;
        };
        const copier = openImageCopier({ signal: new AbortController().signal });
        const first = await push.image("moving/app", "v1", { layers: [size] });
        const place = (registry: TestRegistry) => ({
          registry: { ...registry.access, login },
          repository: "moving/app",
          reference: "v1",
        });
        const outcome = await copier.copy({ id: "moving", from: place(source), to: place(target) });
        copier.close();
        expect(outcome).toMatchObject({ state: "passed", digest: first.digest });
        expect(image?.digest).not.toBe(first.digest);
      });

      test("an end at any moment: the next copier goes on with what is there", async () => {
        const stop = new AbortController();
        target.trouble = (request) => {
          if (request.method === "PATCH" && request.headers["content-range"]?.startsWith("300000-"))
            stop.abort(new Error("time is up"));
          return false;
        };
        const name = `team/stopped`;
        await expect(copy({ name, signal: stop.signal })).rejects.toThrow("time is up");
        expect(await pusher(target.address, basic).read(name, "v1")).toBeUndefined();
        target.trouble = undefined;
        expect((await copy({ name: `${name}-again`, before: () => push.image(name, "v1") })).state).toBe("passed");
      });
    });

    describe("a process that is killed, and another that goes on", () => {
      const layer = 3_000_000;
      const small = 200_000;
      const chunk = 300_000;
      const isChunk = (start: number) => (request: IncomingMessage) =>
        request.method === "PATCH" && request.headers["content-range"]?.startsWith(`${start}-`) === true;
      const isOf =
        (method: string, path: string) =>
        ({ method: own, url = "" }: IncomingMessage) =>
          own === method && url.includes(path);

      const isLastRequest = (request: IncomingMessage) =>
        isOf("PUT", "/blobs/uploads/")(request) && request.headers["content-length"] === "0";

      /** When it is killed: a request to the target, and how far that has come. */
      const moments: [what: string, is: (request: IncomingMessage) => boolean, when: "asked" | "sent" | "answered"][] =
        [
          ["before its first upload", isOf("POST", "/blobs/uploads/"), "asked"],
          ["in the middle of the first chunk", isChunk(0), "sent"],
          ["in the middle of a chunk", isChunk(2 * chunk), "sent"],
          ["when a chunk was confirmed", isChunk(chunk), "answered"],
          ["while it ends an upload", isLastRequest, "asked"],
          ["while it writes the tag", isOf("PUT", "/manifests/v1"), "asked"],
          ["when it has written the tag", isOf("PUT", "/manifests/v1"), "answered"],
        ];

      let from: TestRegistry;
      let to: TestRegistry;
      let folder: string;

      beforeAll(async () => {
        [from, to, folder] = await Promise.all([start({}), start({}), mkdtemp(join(tmpdir(), "slipway-killed-"))]);
      });

      afterAll(() => Promise.all([from.close(), to.close(), rm(folder, { recursive: true })]));

      test.each(moments)("%s", async (what, is, when) => {
        const repository = `killed/${what.replaceAll(" ", "-")}`;
        const pushed = await pusher(from.address).image(repository, "v1", { layers: [layer, small] });
        const images = [from, to].map(({ address }) => `${address}/${repository}:v1`);
        const run = (...more: string[]) =>
          startCopy(...images, join(folder, repository.slice(7)), String(chunk), ...more);
        const first = run();
        let sent = 0;
        let sentBefore: number | undefined;
        const confirmed: string[] = [];
        const kill = () => {
          if (sentBefore === undefined && first.kill()) sentBefore = sent;
        };
        to.trouble = (request, response) => {
          const isIt = sentBefore === undefined && is(request);
          let ofThis = 0;
          const push = request.push.bind(request);
          request.push = (part: Buffer | null) => {
            sent += part?.length ?? 0;
            ofThis += part?.length ?? 0;
            if (isIt && when === "sent" && ofThis >= chunk / 3) kill();
            return push(part);
          };
          if (isIt && when === "asked") kill();
          response.once("finish", () => {
            if (isIt && when === "answered") kill();
            const digest = /[?&]digest=([^&]+)/.exec(request.url ?? "")?.[1];
            if (response.statusCode === 201 && digest !== undefined) confirmed.push(digest);
          });
          return false;
        };
        await first.ended;
        expect(sentBefore).toBeDefined();
        const [there, here] = [pusher(to.address), pusher(from.address)];
        const manifest = await here.read(repository, "v1");
        // What is to be seen is whole.
        expect([undefined, manifest]).toContain(await there.read(repository, "v1"));
        expect(JSON.parse(await run("again").ended)).toMatchObject({
          state: "passed",
          problem: "",
          digest: pushed.digest,
        });
        expect(await there.read(repository, "v1")).toBe(manifest);
        const { config, layers } = JSON.parse(manifest ?? "") as { config: Pushed; layers: Pushed[] };
        const blobs = [config, ...layers];
        for (const { digest } of blobs) expect(await there.hasBlob(repository, digest)).toBe(true);
        // Blobs that the target confirmed are not sent again, nor are chunks where it goes on with an upload.
        expect(confirmed.length).toBe(new Set(confirmed).size);
        const twice = sent - blobs.reduce((sum, { size }) => sum + size, 0) - pushed.size;
        const underWay = chunk + small + config.size + pushed.size;
        expect(twice).toBeLessThanOrEqual(resumes ? underWay : (sentBefore ?? 0) + underWay);
      });
    });

    describe("a source that sends on", () => {
      const redirect = (to: (path: string) => string) =>
        times(Number.MAX_SAFE_INTEGER, isBlob, (request, response) => {
          answer(response, 307, { location: to(request.url ?? "") });
        });

      test("to another host is followed there without the login", async () => {
        const blobs = pusher(other.address);
        const seen: (string | undefined)[] = [];
        other.trouble = ({ method, headers }) => {
          if (method === "GET") seen.push(headers.authorization);
          return false;
        };
        source.trouble = redirect((path) => `http://${other.address}${path}?X-Signature=its-secret-word`);
        const layer = randomBytes(size);
        const outcome = await copy({
          before: async (name) => {
            const config = await push.blob(name, Buffer.from("{}"), "application/vnd.oci.image.config.v1+json");
            const made = [config, await push.blob(name, layer, "application/vnd.oci.image.layer.v1.tar")];
            await blobs.blob(name, Buffer.from("{}"));
            await blobs.blob(name, layer);
            const mediaType = "application/vnd.oci.image.manifest.v1+json";
            await push.manifest(name, "v1", { schemaVersion: 2, mediaType, config, layers: [made[1]] });
          },
        });
        expect(outcome).toMatchObject({ problem: "", state: "passed" });
        expect(seen.length).toBeGreaterThan(0);
        expect(seen.filter((header) => header !== undefined)).toEqual([]);
      });

      test("to a private address is refused, without a connection", async () => {
        source.trouble = redirect((path) => `http://${other.address}${path}?X-Signature=1`);
        const { problem, retryable } = await copy({ from: { elsewhere: parseOutboundPolicy("") } });
        expect(problem).toMatch(/a loopback address is not allowed/);
        expect(retryable).toBe(false);
        expect(other.requests).toEqual([]);
      });

      test("more than three times is refused", async () => {
        source.trouble = redirect((path) => path);
        expect((await copy()).problem).toContain("sends on more than 3 times");
      });

      test("where a manifest is written is refused", async () => {
        const isWrite = ({ method, url = "" }: IncomingMessage) => method === "PUT" && url.includes("/manifests/");
        target.trouble = times(99, isWrite, (request, response) => {
          request
            .resume()
            .once("end", () => answer(response, 307, { location: `http://${other.address}/v2/x/manifests/v1` }));
        });
        expect((await copy()).problem).toContain("the registry answers 307");
        expect(other.requests).toEqual([]);
      });
    });

    describe("tokens", () => {
      const service = `http://${"127.0.0.1"}`;

      /** The target wants tokens, given by `other`, each good for so many requests. */
      function wantTokens(goodFor: number) {
        const asked: { scopes: string[]; login: string | undefined }[] = [];
        const left = new Map<string, number>();
        other.trouble = ({ url = "", headers }, response) => {
          const query = new URL(url, service).searchParams;
          const token = `token-${asked.length}`;
          asked.push({ scopes: query.getAll("scope"), login: headers.authorization });
          left.set(`Bearer ${token}`, goodFor);
          return answer(response, 200, {}, JSON.stringify({ token, expires_in: 300 }));
        };
        target.trouble = (request, response) => {
          const given = request.headers.authorization ?? "";
          const still = left.get(given) ?? 0;
          left.set(given, still - 1);
          request.headers.authorization = basic.authorization;
          if (still > 0 || given === basic.authorization) return false;
          const header = `Bearer realm="http://${other.address}/token",service="registry.test",scope="x"`;
          request.resume();
          return answer(response, 401, { "www-authenticate": header });
        };
        return asked;
      }

      test("are asked for once with the scopes of what is done, and used by all requests", async () => {
        const asked = wantTokens(1000);
        const { name, problem } = await copy();
        expect(problem).toBe("");
        expect(asked).toEqual([{ scopes: [`repository:${name}:pull,push`], login: basic.authorization }]);
      });

      test("that end in the middle are asked for again", async () => {
        const asked = wantTokens(4);
        const { problem } = await copy();
        expect(problem).toBe("");
        expect(asked.length).toBeGreaterThan(1);
      });

      test("for a mount name both repositories", async () => {
        await copy({ name: "mounts/from" });
        const asked = wantTokens(1000);
        const copier = openImageCopier({ signal: new AbortController().signal });
        const registry = { ...target.access, login };
        const outcome = await copier.copy({
          id: "mount",
          from: { registry, repository: "mounts/from", reference: "v1" },
          to: { registry, repository: "mounts/to", reference: "v1" },
        });
        copier.close();
        expect(outcome).toMatchObject({ problem: "", state: "passed" });
        expect(asked.map(({ scopes }) => scopes.join(" "))).toContain(
          "repository:mounts/to:pull,push repository:mounts/from:pull",
        );
      });

      test("that are refused end in a sentence", async () => {
        wantTokens(1000);
        other.trouble = (_, response) => answer(response, 401);
        const { problem } = await copy();
        target.trouble = undefined;
        expect(problem).toContain("asks for another login (401)");
      });
    });
  });
}
