import { randomInt } from 'node:crypto'
import { TemplateFloat } from '@svc/templates'
import type { SpecialText } from './special-text.ts'

/** Text with placeholders in it, and the way back. */
export interface Shield {
  /** A copy of `value` in which no string, however deep, holds the text of a special token. */
  hide<Value>(value: Value): Value
  /** Whether {@link hide} replaced any. */
  readonly used: boolean
  /** Restores the hidden texts. */
  reveal(text: string): string
}

// Private-use characters: no tokenizer gives them a meaning, no template changes their case or trims them.
const OPEN = '\ue0a0'
const CLOSE = '\ue0a1'

/**
 * Keeps the text of special tokens in client data from becoming the tokens. A template sees a short placeholder in
 * place of each such text and everything else unchanged, so that it may trim, split or join freely.
 */
export function createShield(specialText: SpecialText): Shield {
  const nonce = String(randomInt(1_000_000_000))
  const hidden: string[] = []
  const placeholder = new RegExp(`${OPEN}${nonce}:(\\d+)${CLOSE}`, 'g')

  const hideText = (text: string): string => {
    let result = ''
    let end = 0
    for (const match of specialText.findAll(text)) {
      result += `${text.slice(end, match.start)}${OPEN}${nonce}:${hidden.length}${CLOSE}`
      hidden.push(text.slice(match.start, match.end))
      end = match.end
    }
    return result + text.slice(end)
  }

  const hideValue = (value: unknown): unknown => {
    if (typeof value === 'string') return hideText(value)
    if (Array.isArray(value)) return value.map(hideValue)
    if (value instanceof Map) return new Map([...value].map(([key, item]) => [hideText(String(key)), hideValue(item)]))
    if (typeof value !== 'object' || value === null || value instanceof TemplateFloat) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [hideText(key), hideValue(item)]))
  }

  return {
    // Only strings change, so the shape stays the same.
    hide: <Value>(value: Value) => hideValue(value) as Value,
    get used() {
      return hidden.length > 0
    },
    reveal: (text) => text.replace(placeholder, (whole, index: string) => hidden[Number(index)] ?? whole),
  }
}
