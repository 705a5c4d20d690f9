import type { Agent as HttpAgent, IncomingMessage } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { Scheme } from "../../base/outbound/checkAddress.ts";
import { checkedFetch } from "../../base/outbound/checkedFetch.ts";
import { outboundAgent } from "../../base/outbound/outboundAgent.ts";
import { OutboundFailed, OutboundRefused } from "../../base/outbound/outboundErrors.ts";
import { RegistryLoginFailed } from "../registries/registryLogin.ts";
import { type Body, exchange, readAll } from "./exchange.ts";
import { ImageProblem } from "./imageProblem.ts";
import type { RegistryAccess } from "./registryAccess.ts";
import { type Challenge, readChallenge } from "./rules/challenge.ts";
import { openSlots, type Slots } from "./slots.ts";

export interface RegistryLine {
  access: RegistryAccess;
  /** Places for transfers: the limit of the registry. */
  slots: Slots;
  /**
   * One request, repeated where that is safe: after 429 and 5xx, a cut connection, a token that ended.
   * @returns any other answer; its body has to be read or thrown away
   * @throws ImageProblem when no answer comes or the login is refused; `Broken` for a body that can be sent only once
   */
  send(request: LineRequest): Promise<IncomingMessage>;
  /** What an unexpected answer means, as an error to throw; reads the answer's body. */
  explain(answer: IncomingMessage, request: LineRequest): Promise<ImageProblem>;
  close(): void;
}

export interface LineRequest {
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The repository that is read or written, for the token and for messages; empty: the registry itself is asked. */
  repository: string;
  /** Below the repository (`manifests/v1`), or the absolute address of an upload. */
  to: string | URL;
  headers?: Record<string, string>;
  body?: Body | undefined;
  /** Whether the repository is written. */
  writes?: boolean;
  /** Another repository of the registry that is read by it. */
  mountsFrom?: string;
  /** How messages call what this is about, e.g. `v1` or `layer sha256:12…`. */
  about: string;
}

/** A request whose body came only once did not go through: the owner of the body decides how to continue. */
export class Broken extends Error {
  override readonly name = "Broken";
  readonly problem: ImageProblem;

  constructor(problem: ImageProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** The registry does not let a tag name something else. */
export class Unchangeable extends ImageProblem {}

export interface LineOptions {
  limit: number;
  signal: AbortSignal;
  /** Waits so many milliseconds; by default by the clock. */
  pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** How long one request is put off altogether while its registry asks for patience; by default two minutes. */
  patienceMilliseconds?: number;
}

const maxTries = 5;
const maxPauseMilliseconds = 15_000;
const maxRedirects = 3;
const maxTokenSeconds = 300;

const adviceOfRecord = {
  login: "an access_key and secret_key",
  trust: "give its authority as tls_cert and set enable_tls, or mend the certificate",
};

/** The line to one registry: connections, login, limits and patience, shared by all that is copied from and to it. */
export function openRegistryLine(access: RegistryAccess, options: LineOptions): RegistryLine {
  const { signal, patienceMilliseconds = 120_000 } = options;
  const pause = options.pause ?? ((milliseconds, stop) => wait(milliseconds, undefined, { signal: stop }));
  const { advice = adviceOfRecord } = access;
  const base = new URL(`${access.scheme}//${access.address}/v2/`);
  const agents = new Map<string, HttpAgent>();
  const tokens = new Map<string, { value: Promise<{ token: string; until: number }> }>();
  let challenge: Challenge | undefined;
  /** While the registry asks everybody for patience. */
  let quiet: Promise<void> | undefined;

  const isOwn = (url: URL): boolean => url.host === base.host && url.protocol === base.protocol;
  const shown = ({ repository, about }: LineRequest): string =>
    repository === "" ? access.address : `${access.address}/${repository} (${about})`;

  function agentFor(url: URL): HttpAgent {
    const scheme: Scheme = url.protocol === "http:" ? "http:" : "https:";
    const key = isOwn(url) ? "own" : scheme;
    let agent = agents.get(key);
    if (agent === undefined) {
      agent = isOwn(url) ? outboundAgent(access.rule, scheme, access.tls) : outboundAgent(access.elsewhere, scheme);
      agents.set(key, agent);
    }
    return agent;
  }

  async function send(request: LineRequest): Promise<IncomingMessage> {
    const isOnce = request.body !== undefined && !Buffer.isBuffer(request.body);
    let waited = 0;
    let hasLoggedIn = false;
    let tries = 0;
    for (let round = 0; ; round++) {
      await quiet;
      signal.throwIfAborted();
      let problem: ImageProblem;
      let pauseMilliseconds = Math.min(2 ** round * 500, maxPauseMilliseconds);
      try {
        const answer = await once(request);
        if (answer.statusCode === 401 && isOwnAnswer(answer)) {
          answer.resume();
          const asked = readChallenge(String(answer.headers["www-authenticate"] ?? ""));
          const isKnown = challenge !== undefined && hasLoggedIn;
          challenge = asked ?? challenge;
          tokens.delete(scopesOf(request).join(" "));
          problem = loginProblem(request);
          if (isKnown || asked === undefined) throw problem;
          if (asked.kind === "basic" && (await login(request)) === undefined) throw problem;
          hasLoggedIn = true;
          if (isOnce) throw new Broken(problem);
          round--;
          continue;
        }
        if (answer.statusCode !== 429 && (answer.statusCode ?? 0) < 500) return answer;
        if (answer.statusCode === 507 || answer.statusCode === 501) return answer;
        problem = await explain(answer, request);
        if (!problem.retryable) throw problem;
        pauseMilliseconds = Math.max(pauseMilliseconds, retryAfter(answer));
        if (answer.statusCode !== 429) tries++;
      } catch (error) {
        if (error instanceof Broken || error instanceof ImageProblem) throw error;
        if (signal.aborted) throw signal.reason;
        if (!isOfConnection(error)) throw error;
        problem = connectionProblem(error, request);
        if (!problem.retryable) throw problem;
        tries++;
      }
      if (tries >= maxTries || waited + pauseMilliseconds > patienceMilliseconds) throw problem;
      waited += pauseMilliseconds;
      const calm = pause(pauseMilliseconds, signal);
      if (problem.cause === tooMany) quiet = calm.catch(() => undefined);
      await calm;
      if (isOnce) throw new Broken(problem);
    }
  }

  const followed = new WeakSet<IncomingMessage>();
  const isOwnAnswer = (answer: IncomingMessage): boolean => !followed.has(answer);

  /** One try, with redirects. */
  async function once(request: LineRequest): Promise<IncomingMessage> {
    const { method, body } = request;
    let url = typeof request.to === "string" ? new URL(`${request.repository}/${request.to}`, base) : request.to;
    const authorization = isOwn(url) ? await authorize(request) : undefined;
    for (let hops = 0; ; hops++) {
      const headers: Record<string, string> = { "user-agent": "slipway", ...request.headers };
      if (Buffer.isBuffer(body)) headers["content-length"] = String(body.length);
      if (authorization !== undefined && isOwn(url)) headers.authorization = authorization;
      const answer = await exchange(url, agentFor(url), { method, headers, body, signal });
      if (hops > 0) followed.add(answer);
      const next = answer.headers.location;
      if (!isRedirect(answer.statusCode) || next === undefined || (method !== "GET" && method !== "HEAD"))
        return answer;
      answer.resume();
      if (hops === maxRedirects) throw final(request, `sends on more than ${maxRedirects} times`, "ask its operator");
      const target = URL.parse(next, url.href);
      if (target === null || (target.protocol !== "https:" && target.protocol !== "http:"))
        throw final(request, "sends on to something that is no address", "ask its operator");
      url = target;
    }
  }

  function scopesOf({ repository, writes, mountsFrom }: LineRequest): string[] {
    if (repository === "") return [];
    const own = `repository:${repository}:${writes === true ? "pull,push" : "pull"}`;
    return [own, ...(mountsFrom === undefined ? [] : [`repository:${mountsFrom}:pull`])];
  }

  async function authorize(request: LineRequest): Promise<string | undefined> {
    if (challenge === undefined) return undefined;
    if (challenge.kind === "basic") {
      const known = await login(request);
      return known && basic(known);
    }
    const scopes = scopesOf(request);
    const key = scopes.join(" ");
    const known = tokens.get(key);
    const kept = known && (await known.value.catch(() => undefined));
    if (kept !== undefined && kept.until > Date.now()) return `Bearer ${kept.token}`;
    // Those who come at the same time share one question.
    const current = tokens.get(key);
    const value = current !== undefined && current !== known ? current.value : fetchToken(challenge, scopes, request);
    tokens.set(key, { value });
    return `Bearer ${(await value).token}`;
  }

  async function fetchToken(from: Challenge & { kind: "bearer" }, scopes: string[], request: LineRequest) {
    const url = new URL(from.realm);
    if (url.protocol === "http:" && base.protocol === "https:")
      throw final(request, "wants a login sent over http", "ask its operator for an https token service");
    if (from.service !== "") url.searchParams.set("service", from.service);
    for (const scope of scopes) url.searchParams.append("scope", scope);
    const known = await login(request);
    const isOurs = isOwn(url);
    const answer = await checkedFetch(isOurs ? access.rule : access.elsewhere, url.href, {
      headers: { "user-agent": "slipway", ...(known && { authorization: basic(known) }) },
      ...(isOurs && { tls: access.tls }),
    });
    if (answer.status === 401 || answer.status === 403) throw loginProblem(request);
    if (answer.status !== 200) {
      const isPassing = answer.status === 429 || answer.status >= 500;
      const text = `${shown(request)}: the token service ${url.host} answers ${answer.status}; try again later`;
      if (isPassing) throw Object.assign(new Error(text), { code: "ETOKEN" });
      throw new ImageProblem(text, { retryable: false });
    }
    const { token, access_token, expires_in } = read(answer.body);
    const text = token ?? access_token;
    if (typeof text !== "string" || text === "") throw final(request, "gives no token", "ask its operator");
    // 60 seconds where nothing is said, as the protocol has it. Asked again when a tenth is left.
    const seconds = typeof expires_in === "number" && expires_in > 0 ? Math.min(expires_in, maxTokenSeconds) : 60;
    return { token: text, until: Date.now() + seconds * 900 };
  }

  function loginProblem(request: LineRequest): ImageProblem {
    const right = `register it with ${advice.login} that may ${useOf(request)}`;
    return final(request, "the registry asks for another login (401)", right);
  }

  async function login(request: LineRequest) {
    try {
      return await access.login();
    } catch (error) {
      if (!(error instanceof RegistryLoginFailed)) throw error;
      throw new ImageProblem(`${shown(request)}: ${error.message}`, { retryable: true, cause: error });
    }
  }

  function final(request: LineRequest, wrong: string, right: string): ImageProblem {
    return new ImageProblem(`${shown(request)}: ${wrong}; ${right}`, { retryable: false });
  }

  function connectionProblem(error: unknown, request: LineRequest): ImageProblem {
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (error instanceof OutboundRefused)
      return new ImageProblem(`${shown(request)}: ${message}`, { retryable: false, cause: error });
    if (code === "ETOKEN") return new ImageProblem(message, { retryable: true, cause: error });
    if (/CERT|SELF_SIGNED|UNABLE_TO_|ERR_SSL|ERR_TLS|EPROTO/.test(code)) {
      return final(request, `the registry's TLS is not trusted (${code})`, advice.trust);
    }
    const wrong = error instanceof OutboundFailed ? message : `the registry cannot be reached (${code || message})`;
    return new ImageProblem(`${shown(request)}: ${wrong}; check its address and whether it runs`, {
      retryable: true,
      cause: error,
    });
  }

  async function explain(answer: IncomingMessage, request: LineRequest): Promise<ImageProblem> {
    const status = answer.statusCode ?? 0;
    const body = await readAll(answer, 65_536).catch(() => undefined);
    const { code, isFull, isFixed } = errorOf(body);
    const said = code === "" ? `${status}` : `${status} ${code}`;
    if (status === 429) {
      const text = `${shown(request)}: the registry takes no more requests for now (${said}); try again later`;
      return new ImageProblem(text, { retryable: true, cause: tooMany });
    }
    if (isFixed) {
      const text = `${shown(request)}: the registry lets nobody change what is there (${said}); choose another tag`;
      return new Unchangeable(text, { retryable: false });
    }
    if (status === 413)
      return final(request, `the registry takes no part of this size (${said})`, "raise the body limit of its proxy");
    if (status === 507 || isFull)
      return final(request, `the registry has no room for it (${said})`, "free space or raise its quota, then retry");
    if (status >= 500) {
      const text = `${shown(request)}: the registry fails (${said}); try again later`;
      return new ImageProblem(text, { retryable: true });
    }
    if (status === 401) return loginProblem(request);
    if (status === 403)
      return final(request, `the registry refuses (${said})`, `give its login the right to ${useOf(request)}`);
    if (status === 404 && request.writes === true)
      return final(
        request,
        `the registry does not know it (${said})`,
        `make the repository ${request.repository} there`,
      );
    if (status === 404 && request.repository !== "")
      return final(request, `is not there (${said})`, "check the repository's name, tag or digest");
    return final(request, `the registry answers ${said}`, "check that it speaks OCI Distribution 1.1");
  }

  return {
    access,
    slots: openSlots(options.limit),
    send,
    explain,
    close: () => {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

function useOf({ repository, writes }: LineRequest): string {
  if (repository === "") return "use it";
  return `${writes === true ? "push to" : "pull from"} ${repository}`;
}

const isOfConnection = (error: unknown): boolean =>
  error instanceof OutboundRefused || (error instanceof Error && "code" in error && typeof error.code === "string");

const tooMany = { reason: "too many requests" };

const isRedirect = (status = 0): boolean => [301, 302, 303, 307, 308].includes(status);

function basic({ username, password }: { username: string; password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** Milliseconds that an answer asks to wait, 0 when it says nothing. */
function retryAfter(answer: IncomingMessage): number {
  const text = answer.headers["retry-after"] ?? "";
  if (/^\d{1,6}$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? 0 : Math.max(at - Date.now(), 0);
}

/** The code of a refusal: the only word of an answer that is shown, because the rest may repeat what was sent. */
function errorOf(body: Buffer | undefined): { code: string; isFull: boolean; isFixed: boolean } {
  const { errors } = read(body);
  const first = Array.isArray(errors) ? (errors[0] as { code?: unknown; message?: unknown } | undefined) : undefined;
  const code = typeof first?.code === "string" && /^[A-Za-z_]{1,60}$/.test(first.code) ? first.code : "";
  const told = `${code} ${JSON.stringify(first ?? "")}`;
  return {
    code,
    // The reference registry's storage says what Linux said by its number alone: 28 is ENOSPC, 122 is EDQUOT.
    isFull: /no space left|insufficient.{0,20}storage|quota|"Err":(28|122)\b/i.test(told),
    isFixed: /immutable|AlreadyExists|cannot be overwritten|does not allow updating/i.test(told),
  };
}

function read(body: Buffer | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body?.toString("utf8") ?? "");
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
