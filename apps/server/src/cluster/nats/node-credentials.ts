import { toToken } from '../contract/subjects.ts'
import type { NatsCredentials } from './open-connection.ts'

/** Options of {@link createNodeCredentials}. */
export interface NodeCredentialsOptions {
  /** Seed of the account on the bus. */
  readonly accountSeed: string
  /** How long credentials are valid, milliseconds, at least a second. */
  readonly ttlMs: number
}

/** The worker that credentials are for. */
export interface CredentialsOwner {
  readonly nodeId: string
  readonly kind: 'backend' | 'agent'
  /**
   * Where replies to its own requests come: `own` below `_INBOX.<node>`, for workers that use {@link nodeInbox}; `shared`
   * below `_INBOX` as clients do that are told nothing. Front ends use no subject below `_INBOX`.
   */
  readonly inbox: 'own' | 'shared'
}

/** Credentials of a worker. */
export interface NodeCredentialsGrant extends NatsCredentials {
  /** End of their validity, milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Mints credentials of workers. */
export interface NodeCredentials {
  /** Mints a user for a worker, with the rights that it needs and no others. */
  mint(owner: CredentialsOwner, now: number): Promise<NodeCredentialsGrant>
}

/** How long after a request its reply is allowed, nanoseconds. An installation takes the longest. */
const REPLY_TTL_NS = 24 * 3_600_000_000_000

/** Start of the subjects of replies to a worker. */
export function nodeInbox(nodeId: string): string {
  return `_INBOX.${toToken(nodeId)}`
}

/** Start of the subjects of replies to a front end. No worker may listen there. */
export function frontEndInbox(instanceId: string): string {
  return `svc.inbox.${toToken(instanceId)}`
}

/** Reads the seed of an account. @throws {Error} when it is not one */
export async function createNodeCredentials({ accountSeed, ttlMs }: NodeCredentialsOptions): Promise<NodeCredentials> {
  const { createUser, encodeUser, fromSeed } = await import('./jwt-library.ts')
  const account = fromSeed(new TextEncoder().encode(accountSeed.trim()))
  if (!account.getPublicKey().startsWith('A')) throw new Error('it is not the seed of an account')
  return {
    async mint(owner, now) {
      const user = createUser()
      const expiry = Math.floor((now + ttlMs) / 1000)
      const rights = listRights(owner)
      const jwt = await encodeUser(
        `node ${toToken(owner.nodeId)}`,
        user,
        account,
        {
          sub: { allow: rights.subscribe, deny: [] },
          pub: { allow: rights.publish, deny: [] },
          // A reply may go to the one who asked, once.
          resp: { max: 1, ttl: REPLY_TTL_NS },
        },
        { exp: expiry },
      )
      return { jwt, seed: new TextDecoder().decode(user.getSeed()), expiresAt: expiry * 1000 }
    },
  }
}

interface Rights {
  readonly subscribe: string[]
  readonly publish: string[]
}

function listRights({ nodeId, kind, inbox }: CredentialsOwner): Rights {
  const own = `nodes.${toToken(nodeId)}`
  const replies = inbox === 'own' ? `${nodeInbox(nodeId)}.>` : '_INBOX.>'
  if (kind === 'backend') {
    return { subscribe: [`${own}.>`, replies], publish: [`${own}.backend.install.*.progress`, `${own}.files.>`] }
  }
  return {
    subscribe: [...AGENT_SUBSCRIBE, `${own}.backend.stop`, replies],
    publish: ['agent.>', 'jobs.>'],
  }
}

const AGENT_SUBSCRIBE = [
  'agent.execute',
  'agent.*.cancel',
  'gallery.*.cancel',
  'gallery.*.progress',
  'jobs.*.cancel',
  'jobs.*.progress',
  'jobs.*.result',
  'jobs.mcp-ci.new',
  'mcp.>',
  'staging.*.progress',
]
