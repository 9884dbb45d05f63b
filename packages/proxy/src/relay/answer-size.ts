import { depthChange, findStringEnd, isQuote, skipBlanks } from '../json-scan.ts'
import type { Provider } from '../ports.ts'

/** The size of an answer, in bytes as they are written. */
export interface AnswerSize {
  readonly bytes: number
  /** Bytes of `bytes` after the last figures. */
  readonly uncounted: number
}

/** Measures the answer in the events of a stream. */
export class AnswerMeter implements AnswerSize {
  bytes = 0
  uncounted = 0
  readonly #provider: Provider

  constructor(provider: Provider) {
    this.#provider = provider
  }

  /** Takes whole events. @param counted offset behind the last figures in them; 0 without any */
  take(events: string, counted: number): void {
    const bytes = measureAnswer(events, this.#provider, 'events')
    this.bytes += bytes
    if (counted === 0) this.uncounted += bytes
    else this.uncounted = measureAnswer(events.slice(counted), this.#provider, 'events')
  }
}

/** A key with a part of its end. Engines find texts of less than seven characters much faster. */
interface AnswerKey {
  readonly key: string
  readonly end: string
}

const toKey = (name: string): AnswerKey => ({ key: `"${name}":`, end: `${name.slice(-3)}":` })
const DELTA = toKey('delta')

/** Keys whose values hold the answer, in events and in whole replies. */
const KEYS: Readonly<Record<Provider, Readonly<Record<'events' | 'whole', readonly AnswerKey[]>>>> = {
  provider_a: { events: [DELTA], whole: [toKey('message')] },
  provider_b: { events: [DELTA, toKey('content_block')], whole: [toKey('content')] },
}

/** Members below them whose texts are not part of the answer. */
const UNSAID: ReadonlySet<string> = new Set(['type', 'role', 'id', 'signature', 'stop_reason', 'stop_sequence'])
const UNSAID_LENGTHS: ReadonlySet<number> = new Set([...UNSAID].map(({ length }) => length))

const COLON = 0x3a

/**
 * Counts the bytes of the answer in whole events or in a body, as they are written. It looks for a few keys and reads
 * only their values.
 *
 * @param text each byte as one character
 */
export function measureAnswer(text: string, provider: Provider, form: 'events' | 'whole'): number {
  let bytes = 0
  for (const { key, end } of KEYS[provider][form]) {
    for (let at = text.indexOf(end); at >= 0; at = text.indexOf(end, at)) {
      at += end.length
      if (!text.startsWith(key, at - key.length)) continue
      const value = measureValue(text, skipBlanks(text, at))
      bytes += value.bytes
      at = value.end
    }
  }
  return bytes
}

/** The bytes of the texts in a value, and the offset after it. */
function measureValue(text: string, start: number): { readonly bytes: number; readonly end: number } {
  let depth = 0
  let bytes = 0
  let isSaid = true
  let at = start
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (isQuote(code)) {
      const end = findStringEnd(text, at)
      const isKey = depth > 0 && text.charCodeAt(skipBlanks(text, end)) === COLON
      if (isKey) isSaid = !isUnsaid(text, at + 1, end - 1)
      else if (isSaid) bytes += end - at - 2
      at = end
    } else {
      depth += depthChange(code)
      at += 1
    }
    if (depth <= 0) break
  }
  return { bytes, end: at }
}

function isUnsaid(text: string, start: number, end: number): boolean {
  return UNSAID_LENGTHS.has(end - start) && UNSAID.has(text.slice(start, end))
}
