import type { Span } from '../../span.ts'

/** Names before the last one of a name of several: `ada dot byron`. */
const DOT = '(?:\\s{1,2}dot\\s{1,2}|\\s{0,2}[([{<]\\s?dot\\s?[)\\]}>]\\s{0,2})'
/** A name, and `at` as a word or in brackets, up to the host before the first `dot`. */
const LEAD = new RegExp(
  `(?<![\\w@.+-])(?:[\\p{L}\\d][\\w+-]{0,31}${DOT}){0,3}([\\p{L}\\d][\\w.+-]{0,63})(?:(?<blanks>\\s{1,3}at\\s{1,3})|\\s{0,2}[([{<]\\s?(?:at|@|AT)\\s?[)\\]}>]\\s{0,2}|@)([A-Za-z0-9-]{1,63})\\s{0,2}[([{<]?\\s?$`,
  'iu',
)
/** From the first `dot` on: labels up to the top level. */
const REST =
  /dot(?:\s{1,2}|\s?[)\]}>]\s{0,2})[A-Za-z0-9-]{2,63}(?:(?:\s{1,2}dot\s{1,2}|\s{0,2}[([{<]\s?dot\s?[)\]}>]\s{0,2}|\.)[A-Za-z]{2,24}){0,3}(?![\w-])/iy
/** Top levels that people spell out. */
const TOP_LEVEL =
  /(?:com|org|net|edu|gov|info|biz|dev|app|name|mail|email|online|cloud|tech|example|test|invalid|eu|io|ai|co|me|tv|cc|us|uk|de|fr|es|it|nl|be|ch|at|pl|se|no|dk|fi|pt|br|ru|ua|cn|jp|kr|in|au|ca|nz|ie|cz|hu|ro|gr|tr|mx|ar|za)$/i
/** Words before `at` that are no names. */
const NO_NAME =
  /^(?:is|are|was|were|be|available|look|see|visit|site|page|hosted|found|read|more|us|it|me|him|her|them|here|there|online|website|located|works?|working|meet|live|out|check|go|based|and|or|the|that|this|home|up|info(?:rmation)? is|details|docs?|project|mirror|download|server|running)$/i
/** Code units before `dot` that may belong to an address. */
const LEAD_UNITS = 180

/** An address that is spelled out, as in `ada at lab dot example`, by its first `dot`. */
export function matchSpelled(text: string, at: number): Span | undefined {
  const before = text.charCodeAt(at - 1)
  if (!(before === 0x20 || before === 0x28 || before === 0x5b || before === 0x7b || before === 0x3c)) return undefined
  REST.lastIndex = at
  const [rest] = REST.exec(text) ?? []
  if (rest === undefined || !TOP_LEVEL.test(rest)) return undefined
  const from = Math.max(0, at - LEAD_UNITS)
  const lead = LEAD.exec(text.slice(from, at))
  if (lead === null) return undefined
  const isWord = lead.groups?.blanks !== undefined
  return isWord && NO_NAME.test(lead[1] ?? '') ? undefined : { start: from + lead.index, end: at + rest.length }
}
