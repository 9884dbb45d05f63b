import type { Rendering } from './rendering.ts'
import { findText } from './text/search.ts'
import { splitWords } from './text/split.ts'

/** The entities a prompt may hold; the numeric ones all work. */
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', '\u00a0'],
  ['copy', '©'],
  ['reg', '®'],
  ['raquo', '»'],
  ['laquo', '«'],
  ['hellip', '…'],
  ['mdash', '—'],
  ['ndash', '–'],
  ['ldquo', '“'],
  ['rdquo', '”'],
  ['lsquo', '‘'],
  ['rsquo', '’'],
  ['bull', '•'],
  ['middot', '·'],
  ['times', '×'],
  ['deg', '°'],
  ['euro', '€'],
  ['pound', '£'],
  ['sect', '§'],
  ['para', '¶'],
])

/** The longest name or number of an entity after an ampersand. */
const MAX_ENTITY_LENGTH = 16

/** A text with the five special characters of HTML as entities. */
export function escapeText(run: Rendering, text: string): string {
  run.walk(text.length)
  return run.built(replaceSpecial(text))
}

function replaceSpecial(text: string): string {
  let result = ''
  let start = 0
  for (let index = 0; index < text.length; index++) {
    const entity = toEntity(text.charCodeAt(index))
    if (entity === undefined) continue
    result += text.slice(start, index) + entity
    start = index + 1
  }
  return start === 0 ? text : result + text.slice(start)
}

function toEntity(unit: number): string | undefined {
  switch (unit) {
    case 0x22:
      return '&#34;'
    case 0x26:
      return '&amp;'
    case 0x27:
      return '&#39;'
    case 0x3c:
      return '&lt;'
    case 0x3e:
      return '&gt;'
    default:
      return undefined
  }
}

/** A text without comments and tags, with single blanks for white space, and entities as characters. */
export function stripTags(text: string): string {
  const bare = cutAll(cutAll(text, '<!--', '-->'), '<', '>')
  return unescapeText(splitWords(bare, Number.POSITIVE_INFINITY).join(' '))
}

/**
 * Cuts from every opening mark to the next closing mark, in linear time. The joined text may contain an opening mark
 * again, and a closing mark may begin inside the opening one. Stops at an unclosed mark.
 */
function cutAll(text: string, open: string, close: string): string {
  if (findText(text, open) < 0) return text
  const kept: string[] = []
  let index = 0
  while (index < text.length) {
    const character = text[index] ?? ''
    kept.push(character)
    index++
    if (character !== open.at(-1) || kept.slice(-open.length).join('') !== open) continue
    const end = findEnd(text, index, { open, close })
    if (end < 0) break
    kept.length -= open.length
    index = end
  }
  return kept.join('') + text.slice(index)
}

/** The offset after the closing mark; the opening one ends at `index`. */
function findEnd(text: string, index: number, { open, close }: { open: string; close: string }): number {
  for (let shared = close.length - 1; shared > 0; shared--) {
    if (open.endsWith(close.slice(0, shared)) && text.startsWith(close.slice(shared), index)) {
      return index + close.length - shared
    }
  }
  const found = findText(text, close, index)
  return found < 0 ? -1 : found + close.length
}

function unescapeText(text: string): string {
  let result = ''
  let start = 0
  for (let index = text.indexOf('&'); index >= 0; index = text.indexOf('&', index + 1)) {
    const end = text.slice(index, index + MAX_ENTITY_LENGTH).indexOf(';')
    const character = end < 0 ? undefined : readEntity(text.slice(index + 1, index + end))
    if (character === undefined) continue
    result += text.slice(start, index) + character
    start = index + end + 1
    index = start - 1
  }
  return result + text.slice(start)
}

function readEntity(name: string): string | undefined {
  if (!name.startsWith('#')) return ENTITIES.get(name)
  const hex = name[1] === 'x' || name[1] === 'X'
  const digits = name.slice(hex ? 2 : 1)
  const code = digits === '' ? Number.NaN : Number(hex ? `0x${digits}` : digits)
  if (!Number.isInteger(code)) return undefined
  return code > 0 && code <= 0x10ffff && (code & 0xfffff800) !== 0xd800 ? String.fromCodePoint(code) : '\ufffd'
}
