import { runeAt } from './bytes.ts'
import { isDigit, isLetter } from './unicode.ts'

/** Whether a code point can be part of a name. */
export function isAlphaNumeric(rune: number): boolean {
  return rune === 0x5f || isLetter(rune) || isDigit(rune)
}

/** The end of a number, or -1 when a name character follows. The parser refuses anything else that is not a number. */
export function scanNumber(source: string, start: number): number {
  let at = start
  const accept = (characters: string): boolean => {
    const char = source.charAt(at)
    if (char === '' || !characters.includes(char)) return false
    at++
    return true
  }
  const acceptRun = (characters: string): void => {
    while (accept(characters));
  }
  accept('+-')
  let digits = '0123456789_'
  let exponent = 'eE'
  if (accept('0')) {
    if (accept('xX')) [digits, exponent] = ['0123456789abcdefABCDEF_', 'pP']
    else if (accept('oO')) [digits, exponent] = ['01234567_', '']
    else if (accept('bB')) [digits, exponent] = ['01_', '']
  }
  acceptRun(digits)
  if (accept('.')) acceptRun(digits)
  if (accept(exponent)) {
    accept('+-')
    acceptRun('0123456789_')
  }
  accept('i')
  return at < source.length && isAlphaNumeric(runeAt(source, at).value) ? -1 : at
}
