// Prints the tables of stages and phases as JSON, for `pnpm gen`.
import { REQUEST_MARKS, REQUEST_STAGES } from '@svc/wire/stages'

function toTable(heads: readonly [string, string], rows: readonly (readonly [string, string])[]): string {
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  return [line(heads), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

const stages = Object.entries(REQUEST_STAGES).map(([name, { about }]) => [name, about] as const)
const phases = [
  ...stages.map(([name, about]) => [`\`${name}\``, `the stage: ${about}`] as const),
  ...Object.entries(REQUEST_MARKS).map(([name, about]) => [`\`${name}\``, about] as const),
]
console.log(
  JSON.stringify({ stages: toTable(['Stage', 'Does'], stages), phases: toTable(['Phase', 'Milliseconds'], phases) }),
)
