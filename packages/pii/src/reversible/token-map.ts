import { checkArgument } from '@svc/errors'
import type { WriteFake } from '../fakes/fakes.ts'
import type { MaskedSpan, MaskWriter } from '../redact.ts'
import { TokenMatcher } from './token-matcher.ts'

/** The kind of a value: its group, and how a value in its place is invented. @default it has a token */
export type TokenKind = Pick<MaskedSpan, 'group' | 'writeFake'>

/** Form of tokens, and tokens that are taken. */
export interface TokenMapOptions {
  /** @default '[REDACTED:' */
  readonly prefix?: string | undefined
  /** @default ']' */
  readonly suffix?: string | undefined
  /** The texts of the request: a token in one of them is never used for a new value. */
  readonly texts: Iterable<string>
  /** Values with their tokens of earlier requests: a conversation keeps them. @default none */
  readonly known?: readonly TokenEntry[] | undefined
}

/** A value and what stands for it. */
export interface TokenEntry {
  readonly token: string
  readonly value: string
}

const DEFAULT_PREFIX = '[REDACTED:'
const DEFAULT_SUFFIX = ']'
const MIN_DIGITS = 3
/** Longest group name inside a token; a longer one is cut. */
const MAX_GROUP_LENGTH = 64
/** Longest name and number of a token. */
const MAX_BODY_LENGTH = 96
/** Invented values of one map: each is looked for in all texts. */
const MAX_FAKES = 1000
const FAKE_ATTEMPTS = 32
/** Characters of texts that invented values of one map are looked for in; then values have tokens. */
const MAX_SEARCHED = 64 * 1024 * 1024
const BODY = /[A-Z0-9_]*/y
const IS_BODY = /^[A-Z0-9_]/
const NOT_IN_GROUP = /[^A-Z0-9]/g

/**
 * The values of one request with their tokens: `[REDACTED:EMAIL_001]`. Lives as long as the request. None of its
 * properties holds the values, so that neither JSON nor an inspection shows them.
 */
export class TokenMap implements MaskWriter {
  readonly #prefix: string
  readonly #suffix: string
  readonly #texts: Iterable<string>
  readonly #tokens = new Map<string, string>()
  readonly #values = new Map<string, string>()
  readonly #lastNumbers = new Map<string, number>()
  #taken: Set<string> | undefined
  #matcher: TokenMatcher | undefined
  #list: readonly string[] | undefined
  #fakes = 0
  #searched = 0
  #length: number | undefined

  /** @internal maps come from {@link createTokenMap} */
  constructor({ prefix = DEFAULT_PREFIX, suffix = DEFAULT_SUFFIX, texts, known = [] }: TokenMapOptions) {
    const isTexts = isIterable(texts) && (!Array.isArray(texts) || texts.every((text) => typeof text === 'string'))
    checkArgument(isTexts, 'createTokenMap: texts', 'an array or another iterable of texts', texts)
    this.#prefix = prefix
    this.#suffix = suffix
    this.#texts = texts
    for (const { token, value } of known) {
      const isEntry = typeof token === 'string' && token !== '' && typeof value === 'string' && value !== ''
      checkArgument(isEntry, 'createTokenMap: known[]', 'a token and a value', typeof token)
      this.#tokens.set(value, token)
      this.#values.set(token, value)
    }
  }

  /** The values with their tokens, private text: for a store that is sealed. */
  entries(): readonly TokenEntry[] {
    return Array.from(this.#values, ([token, value]) => ({ token, value }))
  }

  /** Number of values with tokens. */
  get size(): number {
    return this.#tokens.size
  }

  /** Returns the token of a value: the same for the same value, in any group; an empty value has none. */
  mask({ group, writeFake }: TokenKind, value: string): string {
    if (value === '') return ''
    const known = this.#tokens.get(value)
    if (known !== undefined) return known
    const token = (writeFake && this.#nextFake(writeFake, value)) ?? this.#nextToken(toTokenGroup(group))
    this.#tokens.set(value, token)
    this.#values.set(token, value)
    this.#matcher = undefined
    return token
  }

  /**
   * Takes texts that come after the texts of the request, such as the results of tools. A token in one of them is never
   * used for a new value.
   */
  avoid(texts: readonly string[]): void {
    this.#list = [...this.#listTexts(), ...texts]
    this.#length = undefined
    if (this.#taken === undefined) return
    for (const body of findTakenBodies(texts, this.#prefix, this.#suffix)) this.#taken.add(body)
  }

  /** @internal finds the tokens created so far */
  get matcher(): TokenMatcher {
    this.#matcher ??= new TokenMatcher(this.#prefix, this.#values)
    return this.#matcher
  }

  /** The texts for several readings: what is given may allow one only. */
  #listTexts(): readonly string[] {
    if (this.#list === undefined) {
      this.#list = [...this.#texts]
      for (const text of this.#list) {
        checkArgument(typeof text === 'string', 'createTokenMap: each of the texts', 'a text', text)
      }
    }
    return this.#list
  }

  /** An invented value that is in none of the texts, and is no other value's; undefined where none is left. */
  #nextFake(writeFake: WriteFake, value: string): string | undefined {
    if (this.#fakes === MAX_FAKES) return undefined
    const texts = this.#listTexts()
    this.#length ??= texts.reduce((sum, { length }) => sum + length, 0)
    for (let attempt = 0; attempt < FAKE_ATTEMPTS; attempt++) {
      const fake = writeFake(value, attempt)
      if (fake === '' || this.#values.has(fake)) continue
      // Only the first value may be looked for in texts of any length.
      if (this.#searched > 0 && this.#searched + this.#length > MAX_SEARCHED) return undefined
      this.#searched += this.#length
      if (isInAny(texts, fake)) continue
      this.#fakes++
      return fake
    }
    return undefined
  }

  #nextToken(group: string): string {
    this.#taken ??= findTakenBodies(this.#listTexts(), this.#prefix, this.#suffix)
    let number = this.#lastNumbers.get(group) ?? 0
    let body: string
    let token: string
    do {
      number += 1
      body = `${group}_${String(number).padStart(MIN_DIGITS, '0')}`
      token = `${this.#prefix}${body}${this.#suffix}`
    } while (this.#taken.has(body) || this.#values.has(token))
    this.#lastNumbers.set(group, number)
    return token
  }
}

/**
 * Creates a map for one request, as mask writer of the filter and for the restorers of the reply (§6.3).
 *
 * @example
 * const map = createTokenMap({ texts: segments.map(({ text }) => text) })
 * map.mask({ group: 'EMAIL' }, 'a@b.example') // [REDACTED:EMAIL_001]
 */
export function createTokenMap(options: TokenMapOptions): TokenMap {
  return new TokenMap(options)
}

function isInAny(texts: readonly string[], piece: string): boolean {
  return texts.some((text) => text.includes(piece))
}

function isIterable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

/** The group in the form of tokens: the part after the last colon, in upper case. */
function toTokenGroup(group: string): string {
  const name = group.slice(group.lastIndexOf(':') + 1).toUpperCase()
  return name.slice(0, MAX_GROUP_LENGTH).replace(NOT_IN_GROUP, '_') || 'PII'
}

/** The names and numbers of tokens that texts already hold. */
function findTakenBodies(texts: Iterable<string>, prefix: string, suffix: string): Set<string> {
  const taken = new Set<string>()
  const isSuffixApart = suffix !== '' && !IS_BODY.test(suffix)
  for (const text of texts) {
    for (let at = text.indexOf(prefix); at !== -1 && at < text.length; at = text.indexOf(prefix, at + 1)) {
      const start = at + prefix.length
      BODY.lastIndex = start
      const body = BODY.exec(text)?.[0].slice(0, MAX_BODY_LENGTH) ?? ''
      if (isSuffixApart) {
        if (text.startsWith(suffix, start + body.length)) taken.add(body)
      } else {
        for (let length = 1; length <= body.length; length++) {
          if (text.startsWith(suffix, start + length)) taken.add(body.slice(0, length))
        }
      }
    }
  }
  return taken
}
