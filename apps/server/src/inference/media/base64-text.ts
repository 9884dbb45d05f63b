import { setImmediate } from 'node:timers/promises'

/** How much is looked at without a pause: a few milliseconds. */
const PIECE_LENGTH = 1024 * 1024
const STANDARD = /^[A-Za-z0-9+/]*$/
const ANY_ALPHABET = /^[A-Za-z0-9+/_\-\r\n\t ]*$/

/**
 * A text in base64 as backends read it: standard alphabet, padded, no blanks. Undefined for what is none. Other work
 * gets its turn while a long one is read.
 */
export async function toStandardBase64(text: string, signal: AbortSignal): Promise<string | undefined> {
  const end = lengthWithoutPadding(text)
  const pieces: string[] = []
  /** Digits that are not a whole group of four yet. */
  let rest = ''
  let isStandard = text.length % 4 === 0 && /^=*$/.test(text.slice(end))
  for (let from = 0; from < end; from += PIECE_LENGTH) {
    const piece = text.slice(from, Math.min(from + PIECE_LENGTH, end))
    if (!STANDARD.test(piece)) {
      if (!ANY_ALPHABET.test(piece)) return undefined
      isStandard = false
    }
    if (isStandard) pieces.push(piece)
    else {
      const digits = rest + piece.replace(/\s+/g, '')
      const whole = digits.length - (digits.length % 4)
      pieces.push(rewrite(digits.slice(0, whole)))
      rest = digits.slice(whole)
    }
    if (from + PIECE_LENGTH < end) {
      await setImmediate()
      signal.throwIfAborted()
    }
  }
  if (isStandard) return text
  // One digit holds six bits: no byte.
  if (rest.length === 1) return undefined
  return pieces.join('') + rewrite(rest)
}

/** Digits of any alphabet in the standard one, padded. */
function rewrite(digits: string): string {
  return Buffer.from(digits, 'base64').toString('base64')
}

function lengthWithoutPadding(text: string): number {
  let end = text.trimEnd().length
  for (let padding = 0; padding < 2 && text[end - 1] === '='; padding += 1) end -= 1
  return end
}

/** How many bytes a text in standard base64 holds. */
export function bytesInBase64(text: string): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  return (text.length / 4) * 3 - padding
}
