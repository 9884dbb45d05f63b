/** A colour of the tokens. */
export type ChartColour = 'c1' | 'c2' | 'c3' | 'c4' | 'c5' | 'c6' | 'danger' | 'text-3'

/** The filling of a series, so that series differ by more than colour. */
export type ChartPattern = 'solid' | 'rising' | 'falling' | 'lying' | 'standing' | 'crossed'

/** A row of figures with a name. */
export interface ChartSeries {
  readonly id: string
  readonly label: string
  /** One value for each point of the axis; undefined for a point without a value. */
  readonly values: readonly (number | undefined)[]
  readonly colour: ChartColour
  readonly pattern?: ChartPattern
}

/** A place on the axis. */
export interface ChartPoint {
  /** Short text below the axis. */
  readonly tick: string
  /** The whole name of the place, for the cursor and the table. */
  readonly name: string
}

const COLOURS: readonly ChartColour[] = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6']
const PATTERNS: readonly ChartPattern[] = ['solid', 'rising', 'falling', 'lying', 'standing', 'crossed']

/** Colour and filling of the series at a place; the seventh looks as the first. */
export function chooseLook(index: number): { readonly colour: ChartColour; readonly pattern: ChartPattern } {
  const place = index % COLOURS.length
  return { colour: COLOURS[place] ?? 'c1', pattern: PATTERNS[place] ?? 'solid' }
}

/** Place of a series in a stack: for each point its lower and upper edge. */
export interface StackedSeries {
  readonly lower: readonly number[]
  readonly upper: readonly number[]
}

/** Puts series on top of each other, the first at the bottom. A missing value takes no room. */
export function stackSeries(series: readonly Pick<ChartSeries, 'values'>[], length: number): StackedSeries[] {
  let lower: readonly number[] = Array.from({ length }, () => 0)
  return series.map(({ values }) => {
    const upper = lower.map((edge, index) => edge + Math.max(0, values[index] ?? 0))
    const stacked = { lower, upper }
    lower = upper
    return stacked
  })
}

/** The highest value of an axis that has room for `value`: 1, 2, 2.5, 4, 5 or 8 times a power of ten; 1 for nothing. */
export function roundUpAxis(value: number): number {
  if (!(value > 0)) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  const step = [1, 2, 2.5, 4, 5, 8, 10].find((factor) => factor * power >= value * (1 - 1e-9)) ?? 10
  return step * power
}

/** Points whose ticks are written, so that neighbours do not touch. @param width pixels of the axis */
export function pickTicks(count: number, width: number, tickWidth: number): number[] {
  if (count === 0) return []
  const fitting = Math.max(1, Math.floor(width / tickWidth))
  const step = Math.max(1, Math.ceil(count / fitting))
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step)
}

/** The next place of the cursor for a key; undefined for a key that does not move it. */
export function moveCursor(key: string, index: number, count: number): number | undefined {
  const last = count - 1
  if (key === 'ArrowRight' || key === 'ArrowUp') return Math.min(last, index + 1)
  if (key === 'ArrowLeft' || key === 'ArrowDown') return Math.max(0, index - 1)
  if (key === 'Home') return 0
  if (key === 'End') return last
  return undefined
}
