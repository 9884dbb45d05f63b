import { ROUTE_GROUPS } from './access/access.ts'
import { checkAddresses } from './addresses.ts'
import { checkModelExists } from './check-model.ts'
import { checkName, checkNames, checkText } from './check-text.ts'
import { parseDuration } from './duration.ts'
import { invalidValue } from './errors.ts'
import type { KeyBlock, KeyChange, KeyScopes } from './ports/credentials.ts'

/** Limits of a key as a request gives them. */
interface ScopesForm {
  readonly routes?: unknown
  readonly models?: unknown
  readonly addresses?: unknown
}

/** The fields of a new key. They come from a request and are checked. */
export interface ApiKeyDraft {
  readonly name: unknown
  /** A line for people, at most 1,000 characters. @default empty */
  readonly note?: unknown
  /** Such as `30d`, `1y` or `720h`. */
  readonly expiresIn?: unknown
  /** RFC 3339. */
  readonly expiresAt?: unknown
  /** Route groups and models that the key is for, and addresses that it may be used from. @default all */
  readonly scopes?: ScopesForm | undefined
}

/** Changes of a key. They come from a request and are checked; undefined fields stay as they are. */
export interface ApiKeyEdit {
  readonly name?: unknown
  /** Null takes the note away. */
  readonly note?: unknown
  readonly expiresIn?: unknown
  /** Null lets the key live for ever. */
  readonly expiresAt?: unknown
  /** They replace all limits of the key; null takes them away. */
  readonly scopes?: ScopesForm | null | undefined
  /** Whether the key is out of use. */
  readonly isBlocked?: unknown
  /** Why it is, at most 1,000 characters; only together with a block. */
  readonly blockReason?: unknown
}

/** How a key gets a new value. It comes from a request and is checked. */
export interface RotationForm {
  /** How long the present value stays valid: such as `24h`, up to 30 days, or `0`. @default 24h */
  readonly grace?: unknown
}

/** What the forms are checked against. */
interface Checks {
  readonly now: number
  readonly hasModel: ((name: string) => boolean) | undefined
}

const MAX_NAME_LENGTH = 200
const MAX_NOTE_LENGTH = 1000
const DAY_MS = 86_400_000
const MAX_GRACE_MS = 30 * DAY_MS
const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/
const SCOPES: ReadonlySet<string> = new Set(['routes', 'models', 'addresses'] satisfies (keyof KeyScopes)[])

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

const readName = (value: unknown): string => checkName(value, { name: 'name', maxLength: MAX_NAME_LENGTH })

const readLine = (value: unknown, name: string): string =>
  checkText(value ?? undefined, { name, maxLength: MAX_NOTE_LENGTH, isOptional: true })

/** The end of a key; undefined where the form names none. */
function readExpiry(
  { expiresAt, expiresIn }: Pick<ApiKeyDraft, 'expiresAt' | 'expiresIn'>,
  { now }: Pick<Checks, 'now'>,
): number | undefined {
  if (isGiven(expiresAt) && isGiven(expiresIn)) throw invalidValue('give expiresIn or expiresAt, not both')
  if (isGiven(expiresAt)) {
    const time = typeof expiresAt === 'string' && RFC_3339.test(expiresAt) ? Date.parse(expiresAt) : Number.NaN
    if (Number.isNaN(time)) throw invalidValue('invalid expiresAt format, use RFC3339')
    if (time <= now) throw invalidValue('expiresAt is in the past')
    return time
  }
  if (!isGiven(expiresIn)) return undefined
  const duration = typeof expiresIn === 'string' ? parseDuration(expiresIn) : undefined
  if (duration === undefined) throw invalidValue('invalid expiresIn format')
  return now + duration
}

function readScopes(scopes: unknown, { hasModel }: Pick<Checks, 'hasModel'>): KeyScopes {
  if (scopes === undefined || scopes === null) return {}
  // A misspelled list would not limit the key at all.
  const isKnown =
    typeof scopes === 'object' && !Array.isArray(scopes) && Object.keys(scopes).every((name) => SCOPES.has(name))
  if (!isKnown) throw invalidValue('scopes must be an object with the lists routes, models and addresses')
  const form: ScopesForm = scopes
  const routes = form.routes === undefined ? undefined : checkNames(form.routes, 'scopes.routes')
  const models = form.models === undefined ? undefined : checkNames(form.models, 'scopes.models')
  const addresses = form.addresses === undefined ? undefined : checkAddresses(form.addresses, 'scopes.addresses')
  const unknown = routes?.find((group) => !ROUTE_GROUPS.includes(group))
  if (unknown !== undefined)
    throw invalidValue(`scopes.routes: there is no group ${JSON.stringify(unknown)}; known: ${ROUTE_GROUPS.join(', ')}`)
  for (const model of models ?? []) checkModelExists(model, { hasModel, field: 'scopes.models' })
  return {
    ...(routes === undefined ? {} : { routes }),
    ...(models === undefined ? {} : { models }),
    ...(addresses === undefined ? {} : { addresses }),
  }
}

/** Checks the fields of a new key. @throws {AuthError} `invalid_request` */
export function readDraft(draft: ApiKeyDraft, checks: Checks & { readonly lifetimeMs: number | undefined }) {
  if (typeof draft !== 'object' || draft === null) throw invalidValue('name is required')
  const { now, lifetimeMs } = checks
  return {
    name: readName(draft.name),
    note: readLine(draft.note, 'note'),
    scopes: readScopes(draft.scopes, checks),
    expiresAt: readExpiry(draft, checks) ?? (lifetimeMs === undefined ? undefined : now + lifetimeMs),
  }
}

function readBlock({ isBlocked, blockReason }: ApiKeyEdit, by: KeyBlock['by']): Pick<KeyChange, 'block'> {
  if (isBlocked === undefined) {
    if (isGiven(blockReason)) throw invalidValue('a reason goes with a block')
    return {}
  }
  if (typeof isBlocked !== 'boolean') throw invalidValue('blocked must be true or false')
  const reason = readLine(blockReason, 'block_reason')
  if (!isBlocked && reason !== '') throw invalidValue('a reason goes with a block')
  return { block: isBlocked ? { by, reason } : undefined }
}

/**
 * Checks the changes of a key.
 *
 * @param by who blocks or unblocks it
 * @throws {AuthError} `invalid_request`, also for a form that changes nothing
 */
export function readEdit(edit: ApiKeyEdit, checks: Checks & { readonly by: KeyBlock['by'] }): KeyChange {
  const { name, note, expiresAt, expiresIn, scopes } = edit ?? {}
  const endsAt = isGiven(expiresIn) || isGiven(expiresAt) ? readExpiry({ expiresAt, expiresIn }, checks) : undefined
  const changesEnd = expiresAt === null || endsAt !== undefined
  if (!changesEnd && (expiresAt !== undefined || expiresIn !== undefined))
    throw invalidValue('invalid expiresAt format, use RFC3339 or null')
  const change: KeyChange = {
    ...(name === undefined ? {} : { name: readName(name) }),
    ...(note === undefined ? {} : { note: readLine(note, 'note') }),
    ...(changesEnd ? { expiresAt: endsAt } : {}),
    ...(scopes === undefined ? {} : { scopes: readScopes(scopes, checks) }),
    ...readBlock(edit ?? {}, checks.by),
  }
  if (Object.keys(change).length === 0) throw invalidValue('there is nothing to change')
  return change
}

/** Checks how long the present value of a key stays valid. @returns milliseconds, from 0 to 30 days */
export function readGrace(form: RotationForm | undefined): number {
  const grace = form?.grace
  if (grace === undefined || grace === null) return DAY_MS
  if (grace === '0') return 0
  const duration = typeof grace === 'string' ? parseDuration(grace) : undefined
  if (duration === undefined || duration > MAX_GRACE_MS)
    throw invalidValue('grace must be a length of time of at most 30d, such as 24h, or "0"')
  return duration
}
