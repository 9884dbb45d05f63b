import { EscapedView } from '../encoded/escaped-view.ts'
import type { Reading } from '../encoded/reading.ts'

/** Marks that readers do not see inside a value: tags within a line, references to blanks, emphasis, soft line ends. */
const MARKS =
  '</?(?:b|i|u|s|em|strong|span|wbr|small|mark|font|a|code|sub|sup|tt|kbd|bdi|bdo|ins|del|br)(?:\\s[^<>]{0,100})?/?>|&(?:nbsp|shy|#160|#173|#xa0);|\\*\\*|=\\r?\\n'
const MARK = new RegExp(MARKS, 'gi')
const BROKEN = `[\\w@.](?:${MARKS})`
const ONE_BROKEN = new RegExp(BROKEN, 'i')

/** Places at which a mark follows a letter, a digit, `@` or a dot. */
export const MARKUP_PLACES: RegExp = new RegExp(BROKEN, 'gi')

/** Whether markup may break a value of a text. */
export function mayHaveMarkup(text: string): boolean {
  return ONE_BROKEN.test(text)
}

/** The text as readers see it; undefined where it is the same. */
export function readWithoutMarkup(text: string): Reading | undefined {
  const view = new EscapedView(text)
  for (const { index, 0: mark } of text.matchAll(MARK)) view.replace(index, mark.length, toShown(mark))
  return view.reading()
}

function toShown(mark: string): string {
  if (/^<br\b/i.test(mark)) return '\n'
  return /^&(?:nbsp|#160|#xa0);$/i.test(mark) ? ' ' : ''
}
