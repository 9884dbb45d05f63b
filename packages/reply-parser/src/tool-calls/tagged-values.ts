import { toJsonText } from './json-text.ts'
import type { ValueForm } from './tag-form.ts'
import { isGap } from './text-cursor.ts'

/** A parameter as a model wrote it between its tags. */
export interface TaggedValue {
  readonly key: string
  readonly value: string
}

/**
 * Builds arguments as a JSON object. A value that parses as JSON is JSON, any other is text. Of several values with one
 * key the last wins.
 *
 * @param isText whether the tool declares a parameter as text
 */
export function toArgumentsJson(
  values: readonly TaggedValue[],
  form: Pick<ValueForm, 'isRaw' | 'isTrimmed'>,
  isText: (key: string) => boolean,
): string {
  const members = new Map<string, string>()
  for (const { key, value } of values) {
    const text = form.isTrimmed ? value.trim() : withoutOuterGaps(value)
    const json = form.isRaw || isText(key) ? undefined : toJsonText(text)
    members.set(key, json ?? JSON.stringify(text))
  }
  return `{${[...members].map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`
}

/** Models put one line break after the tag and one before the next; further white space belongs to the value. */
function withoutOuterGaps(value: string): string {
  const start = isGap(value.charCodeAt(0)) ? 1 : 0
  const end = value.length > start && isGap(value.charCodeAt(value.length - 1)) ? value.length - 1 : value.length
  return value.slice(start, end)
}
