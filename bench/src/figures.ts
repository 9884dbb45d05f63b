import { median } from './load.ts'

/** A median with the least and the most, such as `1.05 (0.98 to 1.12)`. */
export function spread(values: readonly number[], digits: number): string {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  return `${median(values).toFixed(digits)} (${least.toFixed(digits)} to ${most.toFixed(digits)})`
}

/** The ratios of two sides, round by round. */
export function ratios(values: readonly number[], bases: readonly number[]): readonly number[] {
  return values.map((value, round) => value / (bases[round] ?? Number.NaN))
}

/** A table of Markdown. */
export function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
