import type { PatternNode } from '../ast.ts'
import { contains, isWordCode } from '../code-set.ts'

/** A text as the oracle reads it: whole code points. */
interface OracleText {
  readonly codes: readonly number[]
  readonly starts: ReadonlySet<number>
  readonly ends: ReadonlySet<number>
  /** Known results: nested patterns ask for the same many times. */
  readonly known: Map<PatternNode, Set<number>[]>
}

/**
 * Finds the leftmost-longest matches by trying everything: each node returns every position where it can end. Slow,
 * short and independent of the matcher.
 *
 * @param segments ranges at whose edges `^` and `$` match, in code units; @default the whole text
 */
export function oracleMatches(
  node: PatternNode,
  text: string,
  segments: readonly { readonly start: number; readonly end: number }[] = [{ start: 0, end: text.length }],
): [number, number][] {
  const chars = [...text]
  const offsets = [0]
  for (const char of chars) offsets.push((offsets.at(-1) ?? 0) + char.length)
  const subject: OracleText = {
    codes: chars.map((char) => char.codePointAt(0) ?? 0),
    starts: new Set(segments.map((segment) => offsets.indexOf(segment.start))),
    ends: new Set(segments.map((segment) => offsets.indexOf(segment.end))),
    known: new Map(),
  }
  const found: [number, number][] = []
  for (let at = 0; at < chars.length; ) {
    const end = Math.max(-1, ...findEnds(node, subject, at))
    if (end > at) {
      found.push([offsets[at] ?? 0, offsets[end] ?? 0])
      at = end
    } else at++
  }
  return found
}

function findEnds(node: PatternNode, text: OracleText, at: number): Set<number> {
  const known = text.known.get(node) ?? []
  text.known.set(node, known)
  const ends = known[at] ?? computeEnds(node, text, at)
  known[at] = ends
  return ends
}

function computeEnds(node: PatternNode, text: OracleText, at: number): Set<number> {
  const code = text.codes[at]
  switch (node.kind) {
    case 'literal':
      return new Set(code === node.code ? [at + 1] : [])
    case 'class':
      return new Set(code !== undefined && contains(node.set, code) ? [at + 1] : [])
    case 'assertion':
      return new Set(holdsAt(node.assertion, text, at) ? [at] : [])
    case 'sequence':
      return node.items.reduce((ends, item) => each(ends, (end) => findEnds(item, text, end)), new Set([at]))
    case 'choice':
      return each(node.arms, (arm) => findEnds(arm, text, at))
    case 'repeat': {
      const all = new Set<number>()
      let round = new Set([at])
      for (let count = 0; count <= node.max && round.size > 0; count++) {
        if (count >= node.min) {
          const before = all.size
          for (const end of round) all.add(end)
          if (count > node.min && all.size === before) break
        }
        round = each(round, (end) => findEnds(node.body, text, end))
      }
      return all
    }
  }
}

function each<T>(values: Iterable<T>, toEnds: (value: T) => Set<number>): Set<number> {
  const all = new Set<number>()
  for (const value of values) for (const end of toEnds(value)) all.add(end)
  return all
}

function holdsAt(kind: 'start' | 'end' | 'word-boundary', text: OracleText, at: number): boolean {
  if (kind === 'start') return text.starts.has(at)
  if (kind === 'end') return text.ends.has(at)
  const isWord = (index: number): boolean => {
    const code = text.codes[index]
    return code !== undefined && isWordCode(code)
  }
  return isWord(at - 1) !== isWord(at)
}
