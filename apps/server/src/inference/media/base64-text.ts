import { setImmediate } from 'node:timers/promises'

/** Length that is read without a pause: a few milliseconds of work. */
const PIECE_LENGTH = 1024 * 1024
const STANDARD = /^[A-Za-z0-9+/]*$/
const ANY_ALPHABET = /^[A-Za-z0-9+/_\-\r\n\t ]*$/

/**
 * Converts base64 to the form that backends read: standard alphabet, padded, without white space. Undefined for other
 * text. Other work runs while a long text is converted.
 */
export async function toStandardBase64(text: string, signal: AbortSignal): Promise<string | undefined> {
  const end = measureUnpadded(text)
  const pieces: string[] = []
  /** Digits of an incomplete group of four. */
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
  // One digit holds six bits, which make no byte.
  if (rest.length === 1) return undefined
  return pieces.join('') + rewrite(rest)
}

/** Rewrites digits of either alphabet in the standard one, padded. */
function rewrite(digits: string): string {
  return Buffer.from(digits, 'base64').toString('base64')
}

function measureUnpadded(text: string): number {
  let end = text.trimEnd().length
  for (let padding = 0; padding < 2 && text[end - 1] === '='; padding += 1) end -= 1
  return end
}

/** Counts the bytes that a text in standard base64 holds. */
export function countBase64Bytes(text: string): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  return (text.length / 4) * 3 - padding
}
