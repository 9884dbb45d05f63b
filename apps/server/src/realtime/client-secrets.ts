import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import type { Authentication } from '@svc/auth'
import { SvcError } from '@svc/errors'
import type { RealtimeSessionFields } from '@svc/wire/realtime'
import { and, count, eq, lt } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import type { Clock } from '../ports.ts'

/** Begins the values of client secrets. */
const PREFIX = 'ek_'
const VALUE = /^ek_[0-9a-f]{64}$/
/** A session may outlive its secret: its rights are asked for again by it. */
const KEPT_MS = 2 * 60 * 60_000
/** Most secrets of one maker that are kept, and the largest settings of one, characters. */
const MAX_KEPT = 20_000
const MAX_SETTINGS = 128 * 1024

/** The credential that made a secret. Its rights are those of the secret. */
export type SecretMaker =
  | { readonly kind: 'key' | 'session'; readonly id: string }
  /** Hash of a shared key. */
  | { readonly kind: 'shared'; readonly id: string }
  /** A server without auth. */
  | { readonly kind: 'local'; readonly id: '' }

/** A client secret, as it is stored. */
export interface ClientSecret {
  readonly maker: SecretMaker
  readonly model: string
  readonly session: RealtimeSessionFields
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Short-lived credentials that open realtime sessions of one model. */
export interface ClientSecrets {
  /**
   * Makes a secret in the name of a caller.
   *
   * @throws {SvcError} `forbidden` for a caller with such a secret, `session_too_large`, `too_many_client_secrets`
   */
  create(
    secret: Pick<ClientSecret, 'model' | 'session' | 'expiresAt'>,
    authentication: Authentication,
  ): Promise<{ readonly value: string }>
  /** The secret of a value; also an expired one, for a while. */
  find(value: string): Promise<ClientSecret | undefined>
  /** The hash by which a maker with a shared key is known. */
  hashKey(key: string): string
}

/** Whether a credential has the form of a client secret. */
export function isClientSecret(value: string): boolean {
  return VALUE.test(value)
}

/** Creates the secrets over the database. @param parts.hashKey gives the key of 32 bytes of their hashes */
export function createClientSecrets({
  queries,
  clock,
  hashKey,
  maxKept = MAX_KEPT,
}: Pick<Database, 'queries'> & {
  readonly clock: Pick<Clock, 'now'>
  readonly hashKey: () => Uint8Array
  /** @default 20,000 */
  readonly maxKept?: number | undefined
}): ClientSecrets {
  const hash = (value: string): string => createHmac('sha256', hashKey()).update(value).digest('hex')
  const keyOf = (value: string): Buffer => createHmac('sha256', hashKey()).update(`settings ${value}`).digest()

  return {
    hashKey: hash,
    async create({ model, session, expiresAt }, authentication) {
      const maker = toMaker(authentication, hash)
      const settings = JSON.stringify(session)
      if (settings.length > MAX_SETTINGS) throw tooLarge()
      const value = `${PREFIX}${randomBytes(32).toString('hex')}`
      const row = {
        hash: hash(value),
        maker: maker.kind,
        makerId: maker.id,
        model,
        session: seal(settings, keyOf(value)),
        expiresAt,
      }
      const old = clock.now() - KEPT_MS
      await queries.change((db, { realtimeSecrets }) =>
        db.delete(realtimeSecrets).where(lt(realtimeSecrets.expiresAt, old)),
      )
      const [kept] = await queries.rows((db, { realtimeSecrets }) =>
        db
          .select({ secrets: count() })
          .from(realtimeSecrets)
          .where(and(eq(realtimeSecrets.maker, maker.kind), eq(realtimeSecrets.makerId, maker.id))),
      )
      if ((kept?.secrets ?? 0) >= maxKept) throw tooMany()
      await queries.change((db, { realtimeSecrets }) => db.insert(realtimeSecrets).values(row))
      return { value }
    },
    async find(value) {
      if (!isClientSecret(value)) return undefined
      const [row] = await queries.rows((db, { realtimeSecrets }) =>
        db
          .select()
          .from(realtimeSecrets)
          .where(eq(realtimeSecrets.hash, hash(value))),
      )
      if (row === undefined) return undefined
      const maker = { kind: row.maker, id: row.makerId } as SecretMaker
      const session = JSON.parse(unseal(row.session, keyOf(value))) as RealtimeSessionFields
      return { maker, model: row.model, session, expiresAt: row.expiresAt }
    },
  }
}

function toMaker({ principal, credential }: Authentication, hash: (value: string) => string): SecretMaker {
  if (credential === undefined) return { kind: 'local', id: '' }
  if (isClientSecret(credential.value))
    throw new SvcError('forbidden', 'a client secret makes no other one', { code: 'client_secret' })
  if (principal.sessionId !== undefined) return { kind: 'session', id: principal.sessionId }
  if (principal.apiKey !== undefined) return { kind: 'key', id: principal.apiKey.id }
  return { kind: 'shared', id: hash(credential.value) }
}

const IV_BYTES = 12
const TAG_BYTES = 16

/** Seals settings, which may hold credentials of tool servers: only the secret itself opens them. */
function seal(text: string, key: Buffer): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64')
}

function unseal(text: string, key: Buffer): string {
  const bytes = Buffer.from(text, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
}

function tooLarge(): SvcError {
  return new SvcError('invalid_request', `session: has more than ${MAX_SETTINGS / 1024} KiB`, {
    code: 'session_too_large',
    details: { param: 'session' },
  })
}

function tooMany(): SvcError {
  return new SvcError('rate_limited', 'too many client secrets were made with this credential; retry later', {
    code: 'too_many_client_secrets',
    retryAfterMs: 60_000,
  })
}
