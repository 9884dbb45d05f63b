// Prints the tables of stages and phases, and their module of the web interface, as JSON, for `pnpm gen`.
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

const quote = (names: readonly string[]): readonly string[] => names.map((name) => `'${name}'`)
const admission = Object.entries(REQUEST_STAGES).flatMap(([name, stage]) => ('isAdmission' in stage ? [name] : []))
const web = `// Written by \`pnpm gen web\` from the stages of the server.

/** A stage that every inference request passes; in order. */
export type RequestStage = ${quote(Object.keys(REQUEST_STAGES)).join(' | ')}

/** The stages that the phase \`admission\` sums up. */
export const ADMISSION_STAGES: readonly RequestStage[] = [${quote(admission).join(', ')}]

/** Phases that tell a moment or a sum. Every other phase is a stage. */
export const REQUEST_MARKS = [${quote(Object.keys(REQUEST_MARKS)).join(', ')}] as const
`

console.log(
  JSON.stringify({
    stages: toTable(['Stage', 'Does'], stages),
    phases: toTable(['Phase', 'Milliseconds'], phases),
    web,
  }),
)
