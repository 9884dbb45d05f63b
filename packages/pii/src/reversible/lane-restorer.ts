import { checkArgument } from '@svc/errors'
import type { TokenMap } from './token-map.ts'
import type { TokenMatcher } from './token-matcher.ts'

/** Restores values in the text of one lane of a reply: a choice's content, its reasoning, a call's arguments. */
export interface LaneRestorer {
  /**
   * Takes the next text, cut anywhere, and returns the ready part: all except an end that is the beginning of a token.
   * The held text is shorter than the longest token.
   */
  push(text: string): string
  /** Ends the lane and returns the held text. */
  end(): string
  /** Whether text is held. */
  readonly isHolding: boolean
}

/** The form of a lane's text. */
export type LaneKind =
  /** Text for people: values are inserted unchanged. */
  | 'text'
  /**
   * JSON text, such as the arguments of calls: values are inserted escaped, and tokens are found in any escaped form.
   */
  | 'json'

/**
 * A restorer for one lane. It also restores values that the map gets while the lane runs.
 *
 * @param kind @default 'text'
 * @example
 * const lane = createLaneRestorer(map)
 * for await (const delta of deltas) write(lane.push(delta))
 * write(lane.end())
 */
export function createLaneRestorer(map: TokenMap, kind: LaneKind = 'text'): LaneRestorer {
  checkMap(map, 'createLaneRestorer')
  return new Restorer(map, kind)
}

/** Restores the values of a whole text; returns the same string without tokens. */
export function restoreText(map: TokenMap, text: string, kind: LaneKind = 'text'): string {
  checkMap(map, 'restoreText')
  checkArgument(typeof text === 'string', 'restoreText: text', 'a text', text)
  return map.matcher.isEmpty ? text : restore(map.matcher, text, kind, true).text
}

function checkMap(map: TokenMap, name: string): void {
  checkArgument(map?.matcher !== undefined, `${name}: map`, 'a map of createTokenMap', map)
}

class Restorer implements LaneRestorer {
  // The map may get more values while the lane runs.
  readonly #map: TokenMap
  readonly #kind: LaneKind
  #held = ''

  constructor(map: TokenMap, kind: LaneKind) {
    this.#map = map
    this.#kind = kind
  }

  get isHolding(): boolean {
    return this.#held !== ''
  }

  push(text: string): string {
    const { matcher } = this.#map
    if (matcher.isEmpty) return text
    const restored = restore(matcher, this.#held + text, this.#kind, false)
    this.#held = restored.held
    return restored.text
  }

  end(): string {
    const { text } = restore(this.#map.matcher, this.#held, this.#kind, true)
    this.#held = ''
    return text
  }
}

function restore(matcher: TokenMatcher, source: string, kind: LaneKind, isEnd: boolean) {
  if (kind === 'text' || !(source.includes('\\') || matcher.hasQuotes)) {
    const { matches, holdFrom } = matcher.scan(source, isEnd)
    if (matches.length === 0 && holdFrom === source.length) return { text: source, held: '' }
    const encode = kind === 'text' ? asIs : escapeJson
    let text = ''
    let read = 0
    for (const { start, end, value } of matches) {
      text += source.slice(read, start) + encode(value)
      read = end
    }
    return { text: text + source.slice(read, holdFrom), held: source.slice(holdFrom) }
  }
  return restoreEscaped(matcher, source, isEnd)
}

/** Finds tokens among characters and escapes of JSON text; other text stays as it is. */
function restoreEscaped(matcher: TokenMatcher, source: string, isEnd: boolean) {
  const { characters, offsets, end } = readCharacters(source)
  const { matches, holdFrom } = matcher.scan(characters, isEnd)
  const at = (index: number) => offsets[index] ?? end
  let text = ''
  let read = 0
  for (const match of matches) {
    text += source.slice(read, at(match.start)) + escapeJson(match.value)
    read = at(match.end)
  }
  // A cut escape may become the first character of a token.
  const until = isEnd ? source.length : at(holdFrom)
  return { text: text + source.slice(read, until), held: source.slice(until) }
}

/** Decodes JSON text outside of its structure: the start of each character; `end` is the start of a cut escape. */
function readCharacters(source: string): { characters: string; offsets: Uint32Array; end: number } {
  const offsets = new Uint32Array(source.length)
  const pieces: string[] = []
  let count = 0
  let at = 0
  for (let next = source.indexOf('\\'); at < source.length; next = source.indexOf('\\', at)) {
    const plainEnd = next === -1 ? source.length : next
    pieces.push(source.slice(at, plainEnd).replaceAll('"', END_OF_STRING))
    while (at < plainEnd) offsets[count++] = at++
    if (next === -1) break
    const sequence = readEscape(source, at)
    if (sequence === undefined) break
    pieces.push(sequence.character)
    offsets[count++] = at
    at += sequence.length
  }
  return { characters: pieces.join(''), offsets: offsets.subarray(0, count), end: at }
}

/** The reading of a bare quote: it begins or ends a string, so it is not a character of a token. */
const END_OF_STRING = '\uffff'

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }
const HEX4 = /^[0-9a-fA-F]{4}$/
const HEX_START = /^[0-9a-fA-F]{0,3}$/

/** The character of an escape; undefined when the text ends inside it. An invalid one gives its second character. */
function readEscape(source: string, at: number): { character: string; length: number } | undefined {
  const kind = source.charAt(at + 1)
  if (kind === '') return undefined
  if (kind !== 'u') return { character: ESCAPES[kind] ?? kind, length: 2 }
  const digits = source.slice(at + 2, at + 6)
  if (HEX4.test(digits)) return { character: String.fromCharCode(Number.parseInt(digits, 16)), length: 6 }
  return at + 2 + digits.length === source.length && HEX_START.test(digits) ? undefined : { character: 'u', length: 2 }
}

function asIs(value: string): string {
  return value
}

/** A value in the form it has between the quotes of a JSON string. */
function escapeJson(value: string): string {
  return JSON.stringify(value).slice(1, -1)
}
