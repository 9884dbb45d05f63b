import { isSpace } from './characters.ts'
import { hasSurrogates, toCodePoints } from './code-points.ts'

/** The ends of a text to trim. */
export type Ends = 'start' | 'end' | 'both'

/** The text without the given characters at its ends; without white space by default. */
export function trimText(text: string, ends: Ends, characters?: string): string {
  if (characters === undefined) return trimUnits(text, ends, isSpace)
  if (!hasSurrogates(characters)) {
    const units = new Set(Array.from(characters, (character) => character.charCodeAt(0)))
    return trimUnits(text, ends, (unit) => units.has(unit))
  }
  const unwanted = new Set(characters)
  const points = toCodePoints(text)
  let start = 0
  let end = points.length
  if (ends !== 'end') while (start < end && unwanted.has(points[start] ?? '')) start++
  if (ends !== 'start') while (end > start && unwanted.has(points[end - 1] ?? '')) end--
  return points.slice(start, end).join('')
}

function trimUnits(text: string, ends: Ends, isUnwanted: (unit: number) => boolean): string {
  let start = 0
  let end = text.length
  if (ends !== 'end') while (start < end && isUnwanted(text.charCodeAt(start))) start++
  if (ends !== 'start') while (end > start && isUnwanted(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}
