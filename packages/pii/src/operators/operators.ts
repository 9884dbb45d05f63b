import type { JudgedDetection } from '../detector.ts'
import { PiiError } from '../errors.ts'
import { FAKE_KINDS, type FakeKind } from '../fakes/fake-names.ts'
import { createFakeWriter } from '../fakes/fakes.ts'
import { hmacSha256 } from './hmac.ts'

/** Another replacement than the fixed text, for the masked values of one group. Exactly one member is set. */
export interface MaskOperator {
  /** A text of one's own. */
  readonly replace?: string | undefined
  /** The number of last characters that stay: `****1111`. A value of less than twice as many is masked whole. */
  readonly keepLast?: number | undefined
  /** The key of a hash: equal values get the same text, which without the key says nothing about them. */
  readonly hashKey?: string | undefined
  /** The name under which the key is read when the detector is created. */
  readonly hashKeyEnv?: string | undefined
  /** The name of one of the functions that are given when the detector is created. */
  readonly custom?: string | undefined
  /** The kind of an invented value: another for each value, equal for equal ones, and restored in replies. */
  readonly fake?: FakeKind | undefined
}

/** Functions that write replacements, by the names under which operators call for them. */
export type MaskFunctions = Readonly<Record<string, (value: string, span: { readonly group: string }) => string>>

/** Operators by group, compared exactly. */
export type MaskOperators = Readonly<Record<string, MaskOperator>>

/** Writes the replacement of one value of a group. */
export type WriteMask = (value: string) => string

/** The writer of an operator: of a replacement that depends on the value alone, or of an invented value. */
export type OperatorWriter = Pick<JudgedDetection, 'writeMask' | 'writeFake'>

/** Reads a key that a configuration only names. */
export type ReadSecret = (name: string) => string | undefined

const LONGEST_REPLACEMENT = 256
const MOST_KEPT = 64
const SHORTEST_KEY = 16
/** Hex digits of a hash that are written. */
const HASH_DIGITS = 16
const MEMBERS = ['replace', 'keepLast', 'hashKey', 'hashKeyEnv', 'custom', 'fake'] as const

/**
 * Checks an operator. @returns the reason why it cannot be used, undefined for a good one
 */
export function findOperatorFault(operator: MaskOperator): string | undefined {
  if (typeof operator !== 'object' || operator === null) return 'is not an object'
  const given = MEMBERS.filter((member) => operator[member] !== undefined)
  if (given.length !== 1) return 'needs exactly one of replace, keep_last, hash_key_env and fake'
  const { replace, keepLast, hashKey, hashKeyEnv, custom, fake } = operator
  if (replace !== undefined && (typeof replace !== 'string' || replace.length > LONGEST_REPLACEMENT)) {
    return `replace must be a text of at most ${LONGEST_REPLACEMENT} characters`
  }
  if (keepLast !== undefined && !(Number.isInteger(keepLast) && keepLast >= 1 && keepLast <= MOST_KEPT)) {
    return `keep_last must be a whole number from 1 to ${MOST_KEPT}`
  }
  if (hashKey !== undefined && (typeof hashKey !== 'string' || hashKey.length < SHORTEST_KEY)) {
    return `the key of a hash needs ${SHORTEST_KEY} characters or more`
  }
  if (hashKeyEnv !== undefined && (typeof hashKeyEnv !== 'string' || hashKeyEnv === '')) {
    return 'hash_key_env must name a variable'
  }
  if (custom !== undefined && (typeof custom !== 'string' || custom === '')) return 'custom must name a function'
  if (fake !== undefined && !FAKE_KINDS.includes(fake)) return `fake must be one of ${FAKE_KINDS.join(', ')}`
  return undefined
}

/** What operators take from the place where the detector is created. */
export interface OperatorParts {
  readonly readSecret?: ReadSecret | undefined
  readonly functions?: MaskFunctions | undefined
  /** Chooses invented values. @default random, for as long as the process runs */
  readonly fakeKey?: string | undefined
}

/**
 * Creates the writers of the operators of a detector.
 *
 * @throws PiiError `pii_config`, kind `invalid_request`, for an operator that cannot be used, or a key or function that
 *   is missing
 */
export function createMaskWriters(
  operators: MaskOperators,
  parts: OperatorParts = {},
): ReadonlyMap<string, OperatorWriter> {
  return new Map(
    Object.entries(operators).map(([group, operator]): [string, OperatorWriter] => {
      const fault = findOperatorFault(operator)
      if (fault !== undefined) throw operatorError(group, fault)
      const { fake } = operator
      if (fake === undefined) return [group, { writeMask: createWriter(group, operator, parts) }]
      return [group, { writeFake: createFakeWriter(fake, parts.fakeKey ?? findProcessKey()) }]
    }),
  )
}

let processKey: string | undefined

/** The key of invented values where none is given. */
function findProcessKey(): string {
  processKey ??= Array.from(crypto.getRandomValues(new Uint32Array(8)), (word) => word.toString(16)).join('-')
  return processKey
}

function createWriter(group: string, operator: MaskOperator, { readSecret, functions }: OperatorParts): WriteMask {
  const { replace, keepLast, hashKeyEnv, custom } = operator
  if (replace !== undefined) return () => replace
  if (keepLast !== undefined) return (value) => keepEnd(value, keepLast)
  if (custom !== undefined) return createCustomWriter(group, custom, functions)
  const key = operator.hashKey ?? readSecret?.(hashKeyEnv ?? '')
  if (key === undefined || key.length < SHORTEST_KEY) {
    throw operatorError(group, `${hashKeyEnv} holds no key of ${SHORTEST_KEY} characters or more`)
  }
  return (value) => `[${group}:${hmacSha256(key, value).slice(0, HASH_DIGITS)}]`
}

function createCustomWriter(group: string, name: string, functions: MaskFunctions = {}): WriteMask {
  const write = Object.hasOwn(functions, name) ? functions[name] : undefined
  if (typeof write !== 'function') throw operatorError(group, `there is no function ${JSON.stringify(name)}`)
  return (value) => {
    let written: unknown
    try {
      written = write(value, { group })
    } catch {
      // The error may quote the value.
    }
    if (typeof written === 'string') return written
    // An unhandled rejection may quote the value too.
    if (written instanceof Promise) written.catch(() => undefined)
    throw new PiiError('internal', `the operator ${JSON.stringify(name)} wrote no text`, {
      code: 'pii_operator_failed',
    })
  }
}

/** The last characters of a value behind four stars; only stars where they would be half of the value or more. */
function keepEnd(value: string, count: number): string {
  const characters = [...value]
  return characters.length < count * 2 ? '****' : `****${characters.slice(-count).join('')}`
}

function operatorError(group: string, fault: string): PiiError {
  return new PiiError('invalid_request', `operators[${JSON.stringify(group)}]: ${fault}`, { code: 'pii_config' })
}
