import { choice, type Expression, literal, sequence } from '../gbnf/expression.ts'

const FEW = 16
const MAX_DEPTH = 48

/**
 * One of some texts. A long list becomes a tree of common beginnings: the engine follows every alternative that is
 * still open, and a thousand open ones are slow.
 */
export function literalChoice(texts: readonly string[], depth = 0): Expression {
  const distinct = [...new Set(texts)]
  if (distinct.length <= FEW || depth >= MAX_DEPTH) return choice(...distinct.map(literal))
  const groups = new Map<string, string[]>()
  for (const text of distinct) {
    const [start = ''] = text
    const group = groups.get(start)
    if (group === undefined) groups.set(start, [text])
    else group.push(text)
  }
  return choice(
    ...[...groups.values()].map((group) => {
      const prefix = sharedPrefix(group)
      const rests = group.map((text) => text.slice(prefix.length))
      return sequence(literal(prefix), literalChoice(rests, depth + 1))
    }),
  )
}

function sharedPrefix(texts: readonly string[]): string {
  const [first = ''] = texts
  let length = first.length
  for (const text of texts) {
    while (!text.startsWith(first.slice(0, length))) length -= 1
  }
  // Does not cut between the halves of a surrogate pair.
  return /[\uD800-\uDBFF]$/.test(first.slice(0, length)) ? first.slice(0, length - 1) : first.slice(0, length)
}
