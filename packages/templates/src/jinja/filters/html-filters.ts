import { raise } from '../errors.ts'
import { failOnUndefined } from '../fail-on-undefined.ts'
import { escapeText, stripTags } from '../html.ts'
import { isIterable, iterate, toItems } from '../iterate.ts'
import { printValue } from '../print.ts'
import type { Rendering } from '../rendering.ts'
import { isSpace } from '../text/characters.ts'
import { isTrue } from '../truth.ts'
import { define, type Implementation } from '../values/callable.ts'
import { Dict } from '../values/dict.ts'
import { DictView } from '../values/dict-view.ts'
import { typeName } from '../values/type-name.ts'
import { isText, Markup, Undefined, type Value } from '../values/value.ts'

const escapeFilter = define('escape', 's', (run, [value]) => toEscaped(run, value))

/** Filters for HTML and addresses. */
export const HTML_FILTERS: ReadonlyMap<string, Implementation> = new Map([
  ['e', escapeFilter],
  ['escape', escapeFilter],
  [
    'forceescape',
    define('forceescape', 'value', (run, [value]) => new Markup(escapeText(run, printValue(run, value)))),
  ],
  ['safe', define('safe', 'value', (run, [value]) => new Markup(printValue(run, value)))],
  [
    'striptags',
    define('striptags', 'value', (run, [value]) => {
      const text = printValue(run, value)
      run.walk(text.length * 4)
      return run.built(stripTags(text))
    }),
  ],
  ['urlencode', define('urlencode', 'value', (run, [value]) => encodeForUrl(run, value))],
  [
    'xmlattr',
    define('xmlattr', 'd autospace?', (run, [value, autospace = true]) => {
      const text = toXmlAttributes(run, value)
      const spaced = isTrue(autospace) && text !== '' ? ` ${text}` : text
      return run.autoescape ? new Markup(spaced) : spaced
    }),
  ],
])

function toEscaped(run: Rendering, value: Value): Markup {
  return value instanceof Markup ? value : new Markup(escapeText(run, printValue(run, value)))
}

function toXmlAttributes(run: Rendering, value: Value): string {
  failOnUndefined(value)
  if (!(value instanceof Dict)) return raise('AttributeError', `'${typeName(value)}' object has no attribute 'items'`)
  const parts: string[] = []
  for (const [key, item] of value.entries()) {
    if (item === null || item instanceof Undefined) continue
    if (!isText(key)) raise('TypeError', 'expected string or bytes-like object')
    const name = toEscaped(run, key).text
    const isInvalid = Array.from(printValue(run, key)).some((character) => {
      return '/>='.includes(character) || (character < '\x80' && isSpace(character.charCodeAt(0)))
    })
    if (isInvalid) raise('ValueError', 'Invalid character in attribute name')
    parts.push(run.built(`${name}="${toEscaped(run, item).text}"`))
  }
  return run.built(parts.join(' '))
}

/** A text for the path of an address, or names and values for its query. */
function encodeForUrl(run: Rendering, value: Value): string {
  if (isText(value) || !isIterable(value)) return quote(run, value, '/')
  const pairs = value instanceof Dict ? new DictView(value, 'items').items() : iterate(run, value)
  const parts: string[] = []
  for (const pair of pairs) {
    const items = toItems(run, pair)
    if (items.length !== 2) raise('ValueError', `expected a pair, got ${items.length} values`)
    const [name = null, item = null] = items
    parts.push(
      run.built(`${quote(run, name, '').replaceAll('%20', '+')}=${quote(run, item, '').replaceAll('%20', '+')}`),
    )
  }
  return run.built(parts.join('&'))
}

/** Everything but letters, digits, `_.-~` and the characters that are safe here, as percent signs and hex digits. */
function quote(run: Rendering, value: Value, safe: string): string {
  const text = printValue(run, value)
  run.walk(text.length * 8)
  let result = ''
  for (const byte of new TextEncoder().encode(text)) {
    const character = String.fromCharCode(byte)
    result +=
      isUnreserved(byte) || safe.includes(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return run.built(result)
}

function isUnreserved(byte: number): boolean {
  if ((byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)) return true
  return byte === 0x5f || byte === 0x2e || byte === 0x2d || byte === 0x7e
}
