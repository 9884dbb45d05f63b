import { parseDuration } from '../config/quantities.ts'

/** A model or backend gallery as settings hold it; further fields are kept as they are. */
export interface Gallery {
  readonly url: string
  readonly name: string
  readonly [field: string]: unknown
}

/** What a setting may be in JSON. */
export interface SettingKind<T> {
  /** What is accepted, as the end of the sentence "it is not …". */
  readonly form: string
  /** The value itself, or undefined when it is not of this form. */
  read(value: unknown): T | undefined
}

const MAX_TEXT_LENGTH = 16_384
const MAX_ITEMS = 10_000

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_TEXT_LENGTH && !/\p{Cc}/u.test(value)

/** Whether a value is an object of named fields. */
export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `true` or `false`. */
export const toggle: SettingKind<boolean> = {
  form: 'true or false',
  read: (value) => (typeof value === 'boolean' ? value : undefined),
}

/** A whole number between two bounds, both included. */
export function wholeNumber(bounds: { readonly min: number; readonly max: number }): SettingKind<number> {
  return {
    form: `a whole number from ${bounds.min} to ${bounds.max}`,
    read: (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= bounds.min && value <= bounds.max
        ? value
        : undefined,
  }
}

/** A share above 0, 1 at most. */
export const share: SettingKind<number> = {
  form: 'a number above 0, and 1 at most',
  read: (value) => (typeof value === 'number' && value > 0 && value <= 1 ? value : undefined),
}

/** One line of text. */
export const line: SettingKind<string> = {
  form: 'text without control characters',
  read: (value) => (isText(value) ? value : undefined),
}

/** A duration, kept as it was written. */
export const durationText: SettingKind<string> = {
  form: 'a duration such as 10s, 500ms or 1h30m',
  read: (value) => (typeof value === 'string' && parseDuration(value) !== undefined ? value : undefined),
}

/** One of a few words. */
export function word<const Word extends string>(...words: readonly Word[]): SettingKind<Word> {
  return { form: `one of ${words.join(', ')}`, read: (value) => words.find((each) => each === value) }
}

function listOf<T>(value: unknown, isItem: (item: unknown) => item is T): readonly T[] | undefined {
  if (!Array.isArray(value) || value.length > MAX_ITEMS) return undefined
  const items: readonly unknown[] = value
  return items.every(isItem) ? items : undefined
}

/** A list of texts, none of them empty. */
export const lines: SettingKind<readonly string[]> = {
  form: 'a list of texts that are not empty',
  read: (value) => listOf(value, (item): item is string => isText(item) && item.trim() !== ''),
}

/** Galleries. */
export const galleries: SettingKind<readonly Gallery[]> = {
  form: 'a list of objects with url and name',
  read: (value) => listOf(value, (item): item is Gallery => isFields(item) && isText(item.url) && isText(item.name)),
}
