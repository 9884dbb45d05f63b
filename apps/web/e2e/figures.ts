import { appendFileSync } from 'node:fs'

/** A figure of one of the ten checks of the interface, with its limit. */
export interface Figure {
  /** 1 to 10, as in `docs/performance.md`. */
  readonly check: number
  readonly name: string
  readonly value: number
  readonly unit?: string
  /** The limit, where less is better. */
  readonly most?: number
  /** The limit, where more is better. */
  readonly least?: number
}

/** Whether a figure is within its limit. */
export function isHeld({ value, most = Number.POSITIVE_INFINITY, least = Number.NEGATIVE_INFINITY }: Figure): boolean {
  return value <= most && value >= least
}

/** Notes a figure in the file that `SVC_FIGURES` names, for `pnpm --filter @svc/web checks`. */
export function noteFigure(figure: Figure): void {
  const { SVC_FIGURES: file } = process.env
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`)
}

/** Notes a figure and holds it to its limit. @throws when it is beyond it */
export function holdFigure(figure: Figure): void {
  noteFigure(figure)
  if (isHeld(figure)) return
  const { check, name, value, unit = '', most, least } = figure
  const limit = most === undefined ? `at least ${least}` : `at most ${most}`
  throw new Error(`check ${check}, ${name}: ${value} ${unit}, ${limit}`)
}
