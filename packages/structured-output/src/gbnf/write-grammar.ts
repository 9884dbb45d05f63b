import type { CodePointSet } from '../patterns/code-points.ts'
import type { Expression } from './expression.ts'

/**
 * Writes rules in the grammar language of llama.cpp. A repeated group of several elements gets a rule of its own: the
 * engine multiplies the rules inside a repeated group and gives up at 2,000.
 */
export function writeGrammar(rules: ReadonlyMap<string, Expression>): string {
  const lines: string[] = []
  const hoisted: [string, Expression][] = []
  const writer: Writer = {
    hoist(base, item) {
      const name = `${base}-${hoisted.length + 1}x`
      hoisted.push([name, item])
      return name
    },
  }
  for (const [name, body] of rules) lines.push(`${name} ::= ${write(body, { writer, base: name, outer: 'rule' })}`)
  // Writing a hoisted rule may hoist more; the loop sees them.
  for (const [name, body] of hoisted) lines.push(`${name} ::= ${write(body, { writer, base: name, outer: 'rule' })}`)
  return `${lines.join('\n')}\n`
}

interface Writer {
  hoist(base: string, item: Expression): string
}

interface Place {
  readonly writer: Writer
  /** The rule being written. */
  readonly base: string
  /** The surrounding expression; decides whether parentheses are needed. */
  readonly outer: 'rule' | 'choice' | 'sequence' | 'repeat'
}

function write(expression: Expression, place: Place): string {
  switch (expression.kind) {
    case 'literal':
      return quote(expression.text)
    case 'class':
      return writeSet(expression.set)
    case 'rule':
      return expression.name
    case 'sequence':
      return writeSequence(expression.items, place)
    case 'choice': {
      const options = expression.options.map((option) => write(option, { ...place, outer: 'choice' }))
      return enclose(options.join(' | '), place.outer !== 'rule')
    }
    case 'repeat':
      return writeRepeat(expression, place)
  }
}

function writeSequence(items: readonly Expression[], place: Place): string {
  if (items.length === 0) return '""'
  const parts = items.map((item) => write(item, { ...place, outer: 'sequence' }))
  return enclose(parts.join(' '), place.outer === 'repeat')
}

function writeRepeat({ item, min, max }: Expression & { kind: 'repeat' }, place: Place): string {
  const isElement = item.kind === 'literal' || item.kind === 'class' || item.kind === 'rule'
  const copies = max === Infinity ? min : max
  const inner =
    isElement || copies <= 1
      ? write(item, { ...place, outer: 'repeat' })
      : place.writer.hoist(place.base.replace(/-\d+x$/, ''), item)
  return enclose(`${inner}${quantifier(min, max)}`, place.outer === 'repeat')
}

function quantifier(min: number, max: number): string {
  if (max === Infinity) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`
  if (min === 0 && max === 1) return '?'
  return min === max ? `{${min}}` : `{${min},${max}}`
}

function enclose(text: string, needed: boolean): string {
  return needed ? `(${text})` : text
}

function quote(text: string): string {
  return `"${[...text].map((character) => escapeCharacter(character.codePointAt(0) ?? 0, SAFE_IN_LITERAL)).join('')}"`
}

function writeSet(set: CodePointSet): string {
  const ranges = set.map(([first, last]) => {
    const start = escapeCharacter(first, SAFE_IN_CLASS)
    return first === last ? start : `${start}-${escapeCharacter(last, SAFE_IN_CLASS)}`
  })
  return `[${ranges.join('')}]`
}

const SAFE_IN_LITERAL = /^[ !#-[\]-~]$/
const SAFE_IN_CLASS = /^[A-Za-z0-9]$/

function escapeCharacter(codePoint: number, safe: RegExp): string {
  const character = String.fromCodePoint(codePoint)
  if (safe.test(character)) return character
  const hex = codePoint.toString(16).toUpperCase()
  if (codePoint <= 0xff) return `\\x${hex.padStart(2, '0')}`
  return codePoint <= 0xff_ff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}
