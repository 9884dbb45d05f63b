import { DECIMAL_FORM, MAX_DECIMAL, readDecimal } from './decimal.ts'
import { about, block, checkedText, type Field, oneOrList } from './fields.ts'

/** The form of a currency: ISO 4217. */
const CURRENCY = /^[A-Z]{3}$/
const DAY = /^\d{4}-\d{2}-\d{2}$/
const TIME = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:[Zz]|[-+]\d{2}:\d{2})$/

/** A decimal number as written, which {@link readDecimal} reads. */
export const decimalText: Field<string> = checkedText({
  expected: 'a decimal number',
  refuse: (text) => {
    const read = readDecimal(text)
    return typeof read === 'string' ? read : undefined
  },
  json: { type: ['number', 'string'], minimum: 0, maximum: MAX_DECIMAL, pattern: DECIMAL_FORM },
})

/** The code of a currency. */
export const currencyCode: Field<string> = checkedText({
  expected: 'a currency',
  refuse: (text) => (CURRENCY.test(text) ? undefined : 'must be the code of a currency in three capitals, such as USD'),
  json: { type: 'string', pattern: CURRENCY.source },
})

/**
 * Reads a day or a time with its zone; a day begins at 00:00 UTC.
 *
 * @returns milliseconds since the epoch; undefined for another text
 */
export function readStart(text: string): number | undefined {
  if (!DAY.test(text) && !TIME.test(text)) return undefined
  const time = Date.parse(DAY.test(text) ? `${text}T00:00:00Z` : text.replace(' ', 'T'))
  if (Number.isNaN(time)) return undefined
  // Date.parse turns the 31st of February into a day in March.
  return Number(text.slice(8, 10)) <= daysOfMonth(text) ? time : undefined
}

function daysOfMonth(text: string): number {
  return new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate()
}

/** The day or time from which something holds. */
const startText: Field<string> = checkedText({
  expected: 'a date',
  refuse: (text) =>
    readStart(text) === undefined
      ? 'must be a date such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z'
      : undefined,
  json: { type: 'string' },
})

/** The keys of a price, for a model of any name. */
export const PRICE = {
  from: about(startText, 'The day or time, UTC, from which the price holds. Default: always.'),
  currency: about(currencyCode, 'The currency of the price. Default: the currency of the price list.'),
  input: about(decimalText, 'Price of a million tokens of prompts.'),
  cached_input: about(decimalText, 'Price of a million prompt tokens that came from a cache. Default: input.'),
  cache_write: about(decimalText, 'Price of a million prompt tokens that were written to a cache. Default: input.'),
  output: about(decimalText, 'Price of a million tokens of answers.'),
  reasoning: about(decimalText, 'Price of a million tokens of thoughts. Default: output.'),
  image: about(decimalText, 'Price of an image that is made.'),
  audio_second: about(decimalText, 'Price of a second of sound or film.'),
  characters: about(decimalText, 'Price of a million characters that are spoken.'),
  request: about(decimalText, 'Price of a request.'),
  compute_second: about(
    decimalText,
    'Price of a second for which the model works. It covers everything that has no price of its own.',
  ),
}

/** The `pricing` block of a model file: a price, or a list of prices with their dates. */
export const PRICING = oneOrList(block(PRICE))
