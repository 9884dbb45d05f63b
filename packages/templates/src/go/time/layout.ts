/** The meaning of a piece of a Go time layout. `fraction` keeps its digits, `fractionShort` drops zeros at the end. */
export type LayoutUnit =
  | 'year'
  | 'longYear'
  | 'month'
  | 'longMonth'
  | 'numMonth'
  | 'zeroMonth'
  | 'weekday'
  | 'longWeekday'
  | 'day'
  | 'underDay'
  | 'zeroDay'
  | 'underYearDay'
  | 'zeroYearDay'
  | 'hour'
  | 'hour12'
  | 'zeroHour12'
  | 'minute'
  | 'zeroMinute'
  | 'second'
  | 'zeroSecond'
  | 'PM'
  | 'pm'
  | 'zoneName'
  | 'offset'
  | 'fraction'
  | 'fractionShort'

/** One piece of a layout: the literal text before it, its meaning and its spelling. */
export interface LayoutPiece {
  readonly prefix: string
  readonly unit: LayoutUnit
  readonly source: string
}

/** A parsed layout. */
export interface Layout {
  readonly pieces: readonly LayoutPiece[]
  /** Literal text at the end. */
  readonly rest: string
}

/** Longer spellings before their beginnings. */
const SPELLINGS: readonly (readonly [string, LayoutUnit])[] = [
  ['January', 'longMonth'],
  ['Jan', 'month'],
  ['Monday', 'longWeekday'],
  ['Mon', 'weekday'],
  ['MST', 'zoneName'],
  ['01', 'zeroMonth'],
  ['02', 'zeroDay'],
  ['03', 'zeroHour12'],
  ['04', 'zeroMinute'],
  ['05', 'zeroSecond'],
  ['06', 'year'],
  ['002', 'zeroYearDay'],
  ['15', 'hour'],
  ['1', 'numMonth'],
  ['2006', 'longYear'],
  ['2', 'day'],
  ['__2', 'underYearDay'],
  ['_2', 'underDay'],
  ['3', 'hour12'],
  ['4', 'minute'],
  ['5', 'second'],
  ['PM', 'PM'],
  ['pm', 'pm'],
  ['-070000', 'offset'],
  ['-07:00:00', 'offset'],
  ['-0700', 'offset'],
  ['-07:00', 'offset'],
  ['-07', 'offset'],
  ['Z070000', 'offset'],
  ['Z07:00:00', 'offset'],
  ['Z0700', 'offset'],
  ['Z07:00', 'offset'],
  ['Z07', 'offset'],
]

/** Parses a layout such as `2006-01-02 15:04`. */
export function parseLayout(layout: string): Layout {
  const pieces: LayoutPiece[] = []
  let from = 0
  for (let at = 0; at < layout.length; ) {
    const piece = pieceAt(layout, at)
    if (piece === undefined) {
      at++
      continue
    }
    pieces.push({ prefix: layout.slice(from, at), ...piece })
    at += piece.source.length
    from = at
  }
  return { pieces, rest: layout.slice(from) }
}

function pieceAt(layout: string, at: number): Omit<LayoutPiece, 'prefix'> | undefined {
  const fraction = fractionAt(layout, at)
  if (fraction !== undefined) return fraction
  // `_2006` is a literal `_` before the year.
  if (layout.startsWith('_2006', at)) return undefined
  const found = SPELLINGS.find(([source]) => layout.startsWith(source, at))
  if (found === undefined) return undefined
  const [source, unit] = found
  const isShortName = unit === 'month' || unit === 'weekday'
  return isShortName && /[a-z]/.test(layout.charAt(at + 3)) ? undefined : { source, unit }
}

/** `.000` or `,999`: the digits must end there. */
function fractionAt(layout: string, at: number): Omit<LayoutPiece, 'prefix'> | undefined {
  const separator = layout.charAt(at)
  const digit = layout.charAt(at + 1)
  if ((separator !== '.' && separator !== ',') || (digit !== '0' && digit !== '9')) return undefined
  let end = at + 1
  while (layout.charAt(end) === digit) end++
  if (/[0-9]/.test(layout.charAt(end))) return undefined
  return { source: layout.slice(at, end), unit: digit === '0' ? 'fraction' : 'fractionShort' }
}
