import type { EmbeddingResult } from './embedding.ts'
import { percent, type Score } from './tally.ts'

/** Target of a set, in per cent. */
const TARGETS: Readonly<Record<string, number>> = {
  'help, known phrase': 97,
  'help, new pattern': 93,
  'help, new phrase, or fallback': 60,
  'small talk, new phrase, or fallback': 60,
  'skills, new wording': 85,
  'several turns': 90,
  'tool call, known tool name': 95,
  'tool call, new tool name': 60,
  'tool not fitting': 95,
  'off topic, templates': 97,
  'off topic, hand-written': 95,
  'ends by itself within 200 tokens': 100,
}

const HEADS = ['Set', 'Right', 'Of', 'Target', 'At temperature 0.7'] as const

/** The table of the chat model; sets of single skills and kinds of conversation come last. */
export function chatTable(greedy: readonly Score[], drawn: readonly Score[]): string {
  const warm = new Map(drawn.map((score) => [score.set, percent(score)]))
  const isDetail = ({ set }: Score): boolean => /^(?:skill|turns) /.test(set)
  const details = greedy.filter(isDetail).sort((left, right) => (left.set < right.set ? -1 : 1))
  const ordered = [...greedy.filter((score) => !isDetail(score)), ...details]
  const rows = ordered.map((score) => {
    const target = TARGETS[score.set]
    const atWarm = warm.get(score.set)
    return [
      score.set,
      `${percent(score).toFixed(1)} %`,
      String(score.of),
      target === undefined ? '' : `${target} %`,
      atWarm === undefined ? '' : `${atWarm.toFixed(1)} %`,
    ]
  })
  return toTable(HEADS, rows)
}

/** The table of the embedding model. */
export function embeddingTable({ tally, related, unrelated, auc }: EmbeddingResult): string {
  const rows = [
    ['cosine of two questions of one topic, mean', related.toFixed(2), ''],
    ['cosine of questions of different topics, mean', unrelated.toFixed(2), ''],
    ['area under the curve of these two', auc.toFixed(3), ''],
    ...tally.scores().map((score) => [score.set, `${percent(score).toFixed(1)} %`, String(score.of)]),
  ]
  return toTable(['Measure', 'Result', 'Of'], rows)
}

/** A Markdown table with columns of even width, as the formatter leaves it. */
function toTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(heads), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join('\n')
}

/** Replaces the text between the marks of a block. @throws without such a block */
export function replaceBlock(text: string, name: string, content: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [start, end] = [text.indexOf(open), text.indexOf(close)]
  if (start < 0 || end < start) throw new Error(`no block ${open} … ${close}`)
  return `${text.slice(0, start + open.length)}\n\n${content}\n\n${text.slice(end)}`
}
