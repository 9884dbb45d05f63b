import { createHash } from 'node:crypto'
import type { Clock, Logger } from '../ports/clock.ts'
import type { Limit, LimitStore, LimitSubjectKind } from '../ports/limits.ts'
import type { LimitRule } from '../ports/usage.ts'
import type { Principal } from '../principal.ts'
import type { Revocations } from '../revocations.ts'
import { createStoreDeadline } from '../store-deadline.ts'
import { type StopSignal, withSignal } from '../with-signal.ts'
import { EACH, isForEach } from './limit-draft.ts'

/** What a request asks for, as far as limits pick by it. */
export interface LimitedUse {
  /** The model that serves. */
  readonly model: string
  /** Further names by which it is called. @default none */
  readonly through?: readonly string[] | undefined
  /** Gives the name under which the end user of the request is counted. Called only where limits of end users exist. @default none */
  readonly endUser?: (() => string | undefined) | undefined
  /** Whether another request counts the work, so that only rules that name the model hold. @default false */
  readonly isOuter?: boolean | undefined
}

/** The limits that are on, in memory. */
export interface LimitBook {
  /** Whether a request may stand under a limit. False costs nothing: there are no limits. */
  readonly mayHold: boolean
  /** The rules of a request; at once unless the limits must be read again. @throws {AuthError} `unavailable` */
  match(
    principal: Principal,
    use: LimitedUse,
    options: { readonly signal: StopSignal },
  ): readonly LimitRule[] | Promise<readonly LimitRule[]>
  /** The rules of a caller for any model, those of models and of end users left out. */
  matchOwn(principal: Principal, options: { readonly signal: StopSignal }): Promise<readonly LimitRule[]>
  /** Reads the limits, so that they are known before the first request. @throws the error of the store */
  load(options: { readonly signal: StopSignal }): Promise<void>
  /** Reads the limits again before the next request. */
  forget(): void
}

/** Dependencies of {@link createLimitBook}. */
export interface LimitBookOptions {
  readonly store: Pick<LimitStore, 'list'>
  readonly revocations: Pick<Revocations, 'subscribe'>
  /** The name under which an end user is counted. @default its own */
  readonly nameEndUser?: ((endUser: string) => string) | undefined
  readonly clock: Pick<Clock, 'now'>
  readonly logger?: Logger | undefined
}

const STORE_TIMEOUT_MS = 10_000
/** Time for which known limits are used while the store is away, before it is asked again. */
const RETRY_MS = 1000

/** Limits by their subjects. */
type LimitIndex = ReadonlyMap<string, readonly LimitRule[]>

const toKey = (kind: LimitSubjectKind, id: string): string => `${kind} ${id}`

/** The rule of a limit for one subject. */
export function toLimitRule(limit: Limit, subjectId = limit.subject.id): LimitRule {
  const { id, subject, window, maxRequests, maxTokens, maxCostMicros, maxParallel, isSoft, createdAt } = limit
  return {
    id: isForEach(limit) && subjectId !== subject.id ? `${id}:${toCounterName(subjectId)}` : id,
    maxRequests,
    maxTokens,
    maxCostMicros,
    maxParallel,
    windowMs: window.kind === 'calendar' ? 0 : window.ms,
    span: window,
    createdAt,
    isSoft,
    limit,
    subjectId,
  }
}

const PLAIN = /^[\x20-\x7e]{1,200}$/

/** The part of a counter's id for one subject. Callers choose the names of end users, so only short plain ones stay. */
function toCounterName(subjectId: string): string {
  return PLAIN.test(subjectId) ? subjectId : createHash('sha256').update(subjectId).digest('hex')
}

function createIndex(limits: readonly Limit[], nameEndUser: (endUser: string) => string): LimitIndex {
  const index = new Map<string, LimitRule[]>()
  for (const limit of limits) {
    if (!limit.isEnabled) continue
    const { kind, id } = limit.subject
    const key = toKey(kind, kind === 'end_user' && id !== EACH ? nameEndUser(id) : id)
    index.set(key, [...(index.get(key) ?? []), toLimitRule(limit)])
  }
  return index
}

/** Rules of a subject: its own ones, and those for each of its kind. */
function findRules(index: LimitIndex, kind: LimitSubjectKind, id: string | undefined): readonly LimitRule[] {
  if (id === undefined || id === '') return []
  const own = id === EACH ? [] : (index.get(toKey(kind, id)) ?? [])
  const each = index.get(toKey(kind, EACH)) ?? []
  return each.length === 0 ? own : [...own, ...each.map(({ limit }) => toLimitRule(limit, id))]
}

/** The shared limits of a group, and those that its members have each. */
function findOfGroup(
  index: LimitIndex,
  group: { readonly id: string; readonly name: string | undefined },
  userId: string,
) {
  const members = index.get(toKey('group_member', group.id)) ?? []
  return [...findRules(index, 'group', group.id), ...members.map(({ limit }) => toLimitRule(limit, userId))].map(
    (rule) => ({ ...rule, groupName: group.name }),
  )
}

function findOwn(index: LimitIndex, { id, apiKey, groups = [], groupNames = [] }: Principal): readonly LimitRule[] {
  return [
    ...findRules(index, 'account', id),
    ...findRules(index, 'key', apiKey?.id),
    ...groups.flatMap((group, at) => findOfGroup(index, { id: group, name: groupNames[at] }, id)),
  ]
}

function findAll(index: LimitIndex, principal: Principal, use: LimitedUse & { readonly hasEndUsers: boolean }) {
  const { model, through = [], endUser, isOuter = false, hasEndUsers } = use
  const names = [model, ...through]
  const models = [
    ...findRules(index, 'model', model),
    ...through.filter((name) => name !== model).flatMap((name) => index.get(toKey('model', name)) ?? []),
  ]
  const users = hasEndUsers ? findRules(index, 'end_user', endUser?.()) : []
  const others = [...findOwn(index, principal), ...users].filter(({ limit }) =>
    limit.model === '' ? !isOuter : names.includes(limit.model),
  )
  const found = [...others, ...models]
  return found.length < 2 ? found : [...new Map(found.map((rule) => [rule.id, rule])).values()]
}

/** Keeps the limits of a store in memory until somebody has changed them. */
export function createLimitBook(options: LimitBookOptions): LimitBook {
  const { store, revocations, nameEndUser = (endUser) => endUser, clock, logger } = options
  const withDeadline = createStoreDeadline(STORE_TIMEOUT_MS)
  let index: LimitIndex | undefined
  let hasEndUsers = false
  let isFresh = false
  /** Whether the last read has failed. */
  let isAway = false
  let retryAt = 0
  let reading: Promise<LimitIndex> | undefined

  const forget = (): void => {
    isFresh = false
    isAway = false
    reading = undefined
  }
  revocations.subscribe(({ kind }) => {
    if (kind === 'all') forget()
  })

  async function read(): Promise<LimitIndex> {
    const own: Promise<LimitIndex> = readNow(() => reading === own)
    reading = own
    return own
  }

  /** @param isCurrent whether nobody has changed the limits meanwhile */
  async function readNow(isCurrent: () => boolean): Promise<LimitIndex> {
    try {
      const limits = await withDeadline((call) => store.list(call))
      const found = createIndex(limits, nameEndUser)
      if (isCurrent()) {
        index = found
        hasEndUsers = limits.some(({ subject, isEnabled }) => isEnabled && subject.kind === 'end_user')
        isFresh = true
        isAway = false
      }
      return found
    } catch (error) {
      if (index === undefined) throw error
      logger?.warn({ err: error }, 'limits cannot be read again, the known ones hold')
      isAway = true
      retryAt = clock.now() + RETRY_MS
      return index
    } finally {
      if (isCurrent()) reading = undefined
    }
  }

  /** The limits that need no wait. While the store is away they are read again beside the requests. */
  function known(): LimitIndex | undefined {
    if (isFresh) return index
    if (!isAway) return undefined
    if (reading === undefined && clock.now() >= retryAt) void read()
    return index
  }

  return {
    get mayHold() {
      return !isFresh || index === undefined || index.size > 0
    },
    match(principal, use, { signal }) {
      const now = known()
      if (now !== undefined) return now.size === 0 ? [] : findAll(now, principal, { ...use, hasEndUsers })
      return withSignal(reading ?? read(), signal).then((read) =>
        findAll(read, principal, { ...use, hasEndUsers: true }),
      )
    },
    async matchOwn(principal, { signal }) {
      return findOwn(known() ?? (await withSignal(reading ?? read(), signal)), principal)
    },
    async load({ signal }) {
      if (known() === undefined) await withSignal(reading ?? read(), signal)
    },
    forget,
  }
}
