import { hash } from 'node:crypto'

const STARS = '********'
const MASK = /^\*{8}[^#]{0,8}#[0-9a-f]{8}$/
/** Secrets from this length on show their last four characters, so that a person can tell them apart; URLs never do. */
const MIN_LENGTH_TO_SHOW_END = 20

/**
 * The mask of a secret where settings are shown: stars, the end of a long one, and eight digits of its SHA-256 by
 * which an interface can send it back as "unchanged". Empty stays empty.
 */
export function maskSecret(secret: string): string {
  if (secret === '') return ''
  // The end of a URL may be that of the password inside.
  const showsEnd = secret.length >= MIN_LENGTH_TO_SHOW_END && !secret.includes('@')
  const end = showsEnd ? secret.slice(-4).replaceAll('#', '*') : ''
  return `${STARS}${end}#${hash('sha256', secret, 'hex').slice(0, 8)}`
}

/** Whether a text has the form of a mask. No key is taken that has it. */
export function isMask(text: string): boolean {
  return MASK.test(text)
}

/** Gives the known secret of a mask. Returns other text unchanged, and undefined for an unknown mask. */
export function unmask(text: string, known: readonly string[]): string | undefined {
  return isMask(text) ? known.find((secret) => maskSecret(secret) === text) : text
}
