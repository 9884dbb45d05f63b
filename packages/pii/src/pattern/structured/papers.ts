import type { Span } from '../../span.ts'
import type { Candidate } from './candidate.ts'
import { isAlphanumeric } from './characters.ts'
import type { StructuredKind } from './kind.ts'

/** The number of a passport, after a word that announces it: letters in front of digits, or mixed as in Germany. */
export const PASSPORT: StructuredKind = {
  name: 'passport',
  group: 'PASSPORT',
  numbers: [2, 9],
  mixed: [7, 10],
  announcedBy: 'passport',
  find(candidate) {
    const span = readCode(candidate, 2)
    const code = codeIn(candidate.text, span)
    const isNumber =
      /^(?:[A-Z]{0,3}\d{6,9}[A-Z]?|[CFGHJKLMNPRTVWXYZ][CFGHJKLMNPRTVWXYZ0-9]{8}|\d{2}[A-Z]{2}\d{5})$/.test(code)
    return isNumber && !isDateLike(candidate.text, span) ? span : undefined
  },
  findUnchecked: (candidate) => findCode(candidate, /^(?=\D*(?:\d\D*){5})[A-Z0-9]{6,12}$/i),
}

/** The number of a driver licence, after a word that announces it. */
export const DRIVER_LICENCE: StructuredKind = {
  name: 'driver_licence',
  group: 'DRIVER_LICENCE',
  numbers: [2, 13],
  mixed: [4, 18],
  announcedBy: 'driver_licence',
  find(candidate) {
    const span = readCode(candidate, 5)
    const code = codeIn(candidate.text, span)
    const digits = code.replace(/\D/g, '').length
    return /^[A-Z0-9]{7,18}$/.test(code) && digits >= 5 && !isDateLike(candidate.text, span) ? span : undefined
  },
  labelledBy: 'licence',
  findUnchecked: (candidate) => findCode(candidate, /^(?=\D*(?:\d\D*){5})[A-Z0-9]{6,18}$/i),
}

/** The word with up to some more words of capitals and digits, each after one blank or hyphen. */
function readCode({ text, start, end }: Candidate, more: number): Span {
  let last = end
  for (let words = 0; words < more; words++) {
    if (!/[ -]/.test(text.charAt(last))) break
    let position = last + 1
    while (/[0-9A-Z]/.test(text.charAt(position))) position++
    const word = text.slice(last + 1, position)
    if (!/\d/.test(word) || isAlphanumeric(text.charCodeAt(position))) break
    last = position
  }
  return { start, end: last }
}

/** A code of any case with one of the forms. */
function findCode(candidate: Candidate, form: RegExp): Span | undefined {
  const span = readCode(candidate, 5)
  return form.test(codeIn(candidate.text, span)) && !isDateLike(candidate.text, span) ? span : undefined
}

function codeIn(text: string, { start, end }: Span): string {
  return text.slice(start, end).replaceAll(/[ -]/g, '')
}

function isDateLike(text: string, { start, end }: Span): boolean {
  return /^(?:(?:19|20)\d\d-\d\d-\d\d|\d\d-\d\d-(?:19|20)\d\d)/.test(text.slice(start, end))
}
