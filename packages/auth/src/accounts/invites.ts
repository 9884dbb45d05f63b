import { checkText } from '../check-text.ts'
import { AuthError, invalidValue, missing } from '../errors.ts'
import type { CallOptions, Clock } from '../ports/clock.ts'
import type { Invite, InviteStore } from '../ports/credentials.ts'
import type { Page } from '../ports/users.ts'
import { createId, createToken, type TokenHasher } from '../token-hasher.ts'

/** Options of {@link createInvites}. */
export interface InvitesOptions {
  readonly store: InviteStore
  readonly hasher: TokenHasher
  readonly clock: Pick<Clock, 'now'>
}

/** An invite as its maker gets it: the code is shown here and never again. */
export interface IssuedInvite {
  readonly id: string
  readonly code: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly expiresAt: number
}

/** Makes, checks and revokes invites (§2.5, §3.2). */
export interface Invites {
  /**
   * @param draft.expiresInHours a whole number from 1 to 8760, a year; without it 168, a week
   * @param draft.note a line of at most 200 characters that only administrators see
   * @throws {AuthError} `invalid_request` for any other value
   */
  create(
    draft: { readonly expiresInHours?: unknown; readonly note?: unknown; readonly createdBy: string | undefined },
    options: CallOptions,
  ): Promise<IssuedInvite>
  /** Newest first. */
  list(page: Page, options: CallOptions): Promise<readonly Invite[]>
  isValid(code: string, options: CallOptions): Promise<boolean>
  /** @throws {AuthError} `not_found`; `invalid_request` for a used one */
  revoke(id: string, options: CallOptions): Promise<void>
}

const HOUR_MS = 3_600_000
const DEFAULT_HOURS = 168
const MAX_HOURS = 365 * 24
const SHOWN_LENGTH = 8
const MAX_NOTE_LENGTH = 200
const CODE = /^[0-9a-f]{64}$/

function readHours(value: unknown): number {
  if (value === undefined) return DEFAULT_HOURS
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_HOURS) return value
  throw invalidValue(`expiresInHours must be a whole number from 1 to ${MAX_HOURS}`)
}

/** Invites: codes of 64 hex digits, of which the store has only hashes. */
export function createInvites({ store, hasher, clock }: InvitesOptions): Invites {
  return {
    async create({ expiresInHours, note: draft = '', createdBy }, call) {
      const hours = readHours(expiresInHours)
      const note = checkText(draft, { name: 'note', maxLength: MAX_NOTE_LENGTH, isOptional: true })
      const [id, code, createdAt] = [createId(), createToken(), clock.now()]
      const expiresAt = createdAt + hours * HOUR_MS
      const prefix = code.slice(0, SHOWN_LENGTH)
      await store.create({ id, hash: hasher.hash('invite', code), prefix, note, createdBy, createdAt, expiresAt }, call)
      return { id, code, createdAt, expiresAt }
    },
    list: (page, call) => store.list(page, call),
    async isValid(code, call) {
      return CODE.test(code) && store.isValid({ hash: hasher.hash('invite', code), now: clock.now() }, call)
    },
    async revoke(id, call) {
      const outcome = await store.revoke(id, call)
      if (outcome === 'missing') throw missing('invite not found')
      if (outcome === 'used')
        throw new AuthError('invalid_request', 'cannot revoke a used invite', { code: 'invite_used' })
    },
  }
}
