import { invalidValue } from './errors.ts'
import { hasMixedWords } from './look-alikes.ts'
import { hasUnseen } from './unseen.ts'

/** NUL and lone surrogates. */
const UNSTORABLE = /[\0\ud800-\udfff]/u
const MAX_NAMES = 1000
const MAX_NAME_LENGTH = 200

/**
 * A text of a request that is to be stored, without blanks at its ends.
 *
 * @param name the name of the text in the message
 * @throws {AuthError} `invalid_request` for a text that both databases cannot store alike (NUL and lone surrogates),
 *   for characters that a reader cannot see, and for empty and long texts
 */
export function checkText(
  value: unknown,
  {
    name,
    maxLength,
    isOptional = false,
  }: { readonly name: string; readonly maxLength: number; readonly isOptional?: boolean },
): string {
  if (typeof value !== 'string') {
    if (isOptional && value === undefined) return ''
    throw invalidValue(`${name} is required`)
  }
  const text = value.trim()
  if (text === '' && !isOptional) throw invalidValue(`${name} is required`)
  if (text.length > maxLength) throw invalidValue(`${name} is longer than ${maxLength} characters`)
  if (UNSTORABLE.test(text)) throw invalidValue(`${name} holds characters that cannot be stored`)
  if (hasUnseen(text)) throw invalidValue(`${name} holds invisible or control characters`)
  return text
}

/** As {@link checkText}, for a name of a person or thing: every letter is the letter that it looks like. */
export function checkName(...[value, options]: Parameters<typeof checkText>): string {
  const text = checkText(value, options)
  if (hasMixedWords(text)) throw invalidValue(`${options.name} mixes letters of two alphabets in one word`)
  return text
}

/** A list of short names of a request, each once. */
export function checkNames(value: unknown, name: string): readonly string[] {
  if (!Array.isArray(value) || value.length > MAX_NAMES) throw invalidValue(`${name} must be a list of names`)
  return [...new Set(value.map((entry: unknown) => checkText(entry, { name, maxLength: MAX_NAME_LENGTH })))]
}
