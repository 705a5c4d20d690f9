import { nowSeconds } from "../../../base/store/ids.ts";
import { keys } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import { overwrite, remove, type Write } from "../../../base/store/writes.ts";
import { findToken, sessionIdOf, tokenBegins } from "./tokens.ts";
import { changeUser, type User, type UserChange } from "./users.ts";

/** A sign-in that goes on (decisions 17.8). */
export interface Session {
  /** That of `sessionIdOf`. */
  sessionId: string;
  /** SHA-256 of its token. */
  hash: string;
  /** Unix seconds, with a fraction: sign-ins of one second have an order. */
  createdAt: number;
  /** Unix seconds, written at most once an hour. */
  lastUsedAt: number;
  /** Unix seconds. */
  expiresAt: number;
  /** Where the sign-in came from, and the first 200 characters of its `User-Agent`; empty where that is not known. */
  address: string;
  userAgent: string;
}

/** Where a user signs in from. */
export interface SignedInFrom {
  address: string;
  userAgent: string;
}

const mostSessions = 20;

/** The sessions of a user that have not ended, newest first. */
export async function listSessions(user: User): Promise<Session[]> {
  const { pk, sk } = keys.session(user.uid, "");
  const [former, items] = await Promise.all([formerSession(user), table().query<Session>({ pk, prefix: sk })]);
  const now = nowSeconds();
  return [...items, ...former].filter(({ expiresAt }) => expiresAt > now).sort((a, b) => b.createdAt - a.createdAt);
}

/** A session from when a user had one and no list: it goes on, and enters the list at the next sign-in. */
async function formerSession({ loginTokenHash: hash, lastLoginTime }: User): Promise<Session[]> {
  const token = hash === undefined ? undefined : await findToken(hash);
  if (hash === undefined || token === undefined) return [];
  const { expiresAt = 0, lastUsedAt = lastLoginTime } = token;
  const times = { createdAt: lastLoginTime, lastUsedAt, expiresAt };
  return [{ sessionId: sessionIdOf(hash), hash, ...times, address: "", userAgent: "" }];
}

/**
 * A user with one more session, which `hash` is the token of; of more than 20 the oldest ends. Others go on.
 * @param expiresAt Unix seconds
 */
export async function withNewSession(
  user: User,
  hash: string,
  { expiresAt, address, userAgent, mustEnrol }: SignedInFrom & { expiresAt: number; mustEnrol: boolean },
): Promise<UserChange> {
  const { loginTokenHash, ...signedIn } = user;
  const now = nowSeconds();
  const sessions = await listSessions(user);
  const session = { sessionId: sessionIdOf(hash), hash, createdAt: laterThan(sessions), lastUsedAt: now, expiresAt };
  const kept = sessions.slice(0, mostSessions - 1);
  return {
    user: { ...signedIn, lastLoginTime: now },
    writes: [
      tokenBegins(hash, {
        ...{ uid: user.uid, kind: "login", expiresAt, lastUsedAt: now },
        ...(mustEnrol && { mustEnrol }),
      }),
      listed(user.uid, { ...session, address, userAgent }),
      ...kept.filter((one) => one.hash === loginTokenHash).map((one) => listed(user.uid, one)),
      ...sessions.slice(mostSessions - 1).flatMap((one) => ended(user.uid, one)),
    ],
  };
}

/** Now, and behind all of them, also where several begin within a millisecond. */
function laterThan([newest]: readonly Session[]): number {
  const now = Date.now() / 1000;
  return newest === undefined ? now : Math.max(now, newest.createdAt + 0.001);
}

/** A user without those sessions. */
export async function withoutSessions(user: User, isMeant: (session: Session) => boolean): Promise<UserChange> {
  const meant = (await listSessions(user)).filter(isMeant);
  const { loginTokenHash, ...rest } = user;
  const isKept = loginTokenHash !== undefined && !meant.some(({ hash }) => hash === loginTokenHash);
  return {
    user: { ...rest, ...(isKept && { loginTokenHash }) },
    writes: meant.flatMap((session) => ended(user.uid, session)),
  };
}

/** Ends one session at once; one that has ended already is left alone. */
export async function endSession(uid: string, sessionId: string): Promise<void> {
  await changeUser(uid, async (user) => {
    const change = await withoutSessions(user, (session) => session.sessionId === sessionId);
    return change.writes?.length === 0 ? undefined : change;
  });
}

function listed(uid: string, session: Session): Write {
  const { sessionId, hash, createdAt, lastUsedAt, expiresAt, address, userAgent } = session;
  const content = { sessionId, hash, createdAt, lastUsedAt, expiresAt, address, userAgent };
  return overwrite({ ...content, ...keys.session(uid, sessionId), type: "session", ttl: expiresAt });
}

function ended(uid: string, { hash, sessionId }: Session): Write[] {
  return [remove(keys.token(hash)), remove(keys.session(uid, sessionId))];
}
