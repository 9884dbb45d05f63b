import { lazy, type ReactNode, Suspense, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { textScale } from '../../lib/text-size.ts'
import * as textButtonStyles from '../ui/text-button.module.css'
import * as styles from './chart.module.css'
import { type ChartColour, type ChartPattern, type ChartPoint, type ChartSeries, moveCursor } from './chart-data.ts'

const Plot = lazy(async () => ({ default: (await import('./plot.tsx')).Plot }))
const ChartTable = lazy(async () => ({ default: (await import('./chart-table.tsx')).ChartTable }))

const PATTERN_CLASSES: Readonly<Record<ChartPattern, string | undefined>> = {
  solid: '',
  rising: styles.rising,
  falling: styles.falling,
  lying: styles.lying,
  standing: styles.standing,
  crossed: styles.crossed,
}
const COLOUR_CLASSES: Readonly<Record<ChartColour, string | undefined>> = {
  c1: styles.colour1,
  c2: styles.colour2,
  c3: styles.colour3,
  c4: styles.colour4,
  c5: styles.colour5,
  c6: styles.colour6,
  danger: styles.colourDanger,
  'text-3': styles.colourFaint,
}
const legendClass = (pattern: ChartPattern, colour: ChartColour): string =>
  `${styles.legend} ${PATTERN_CLASSES[pattern]} ${COLOUR_CLASSES[colour]}`

/** Content of a chart. */
export interface ChartProps {
  /** Names the chart and sums it up, for people who do not see it. */
  readonly caption: string
  /** `bars`: stacks, one for each point. `lines`: values along an even axis. */
  readonly kind?: 'bars' | 'lines'
  /** Keep the array while the data stays the same: a new one draws again. */
  readonly points: readonly ChartPoint[]
  readonly series: readonly ChartSeries[]
  /** Pixels, at the usual size of letters. */
  readonly height: number
  readonly max?: number | undefined
  /** Draws no axes and no legend, for a line beside a figure. */
  readonly isBare?: boolean
  readonly formatValue?: (value: number) => string
  readonly formatTick?: (value: number) => string
  /** Called for the point that was pressed, or chosen by Enter. */
  readonly onPick?: ((index: number) => void) | undefined
  /** Describes the effect of picking, for people who do not see the chart. */
  readonly pickHint?: string
  /** Content at the end of the legend, before the link to the table. */
  readonly children?: ReactNode
}

/**
 * A chart with a cursor for mouse and keyboard, a legend and a table of its data. Arrow keys, Home and End move the
 * cursor. It does not move by itself.
 */
export function Chart(props: ChartProps) {
  const { t } = useTranslation()
  const { caption, kind = 'bars', points, series, isBare = false, children } = props
  const height = props.height * textScale
  const { formatValue = formatNumber, formatTick = formatShort, onPick, pickHint } = props
  const hint = useId()
  const [hovered, setHovered] = useState<{ readonly index: number; readonly left: number }>()
  const [cursor, setCursor] = useState<number>()
  const [isTable, setTable] = useState(false)
  const place = hovered?.index ?? cursor
  const describe = (index: number) => describePoint(points[index], { series, index, formatValue })

  const onKeyDown = (event: React.KeyboardEvent) => {
    const next = moveCursor(event.key, cursor ?? points.length, points.length)
    if (next !== undefined) {
      event.preventDefault()
      setCursor(next)
    }
    if (event.key === 'Enter' && cursor !== undefined) onPick?.(cursor)
  }
  const onHover = (index: number | undefined, left: number) =>
    setHovered(index === undefined ? undefined : { index, left })

  return (
    <figure className={styles.box}>
      <div
        className={onPick === undefined ? styles.plot : `${styles.plot} ${styles.picks}`}
        role="slider"
        tabIndex={0}
        aria-label={caption}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, points.length - 1)}
        aria-valuenow={cursor ?? Math.max(0, points.length - 1)}
        aria-valuetext={describe(cursor ?? points.length - 1)}
        aria-describedby={pickHint === undefined ? undefined : hint}
        onKeyDown={onKeyDown}
        onBlur={() => setCursor(undefined)}
        onClick={() => hovered !== undefined && onPick?.(hovered.index)}
        style={{ height }}
      >
        <Suspense>
          <Plot {...{ kind, points, series, height, isBare, formatTick, onHover, cursor }} max={props.max} />
        </Suspense>
        {hovered !== undefined && place !== undefined && (
          <ChartTip
            point={points[place]}
            {...{ series, place, formatValue }}
            left={hovered.left}
            isBefore={place >= points.length / 2}
          />
        )}
      </div>
      {pickHint !== undefined && (
        <span id={hint} className="visuallyHidden">
          {pickHint}
        </span>
      )}
      {!isBare && (
        <figcaption className="row wrap">
          {series.map(({ id, label, colour, pattern = 'solid' }) => (
            <span key={id} className={legendClass(pattern, colour)}>
              {label}
            </span>
          ))}
          {children}
          <button type="button" className={`${textButtonStyles.textButton} meta push`} onClick={() => setTable(true)}>
            {t('chart.showTable')}
          </button>
        </figcaption>
      )}
      {isTable && (
        <Suspense>
          <ChartTable {...{ caption, points, series, formatValue }} onClose={() => setTable(false)} />
        </Suspense>
      )}
    </figure>
  )
}

function ChartTip({
  point,
  series,
  place,
  left,
  formatValue,
  isBefore,
}: {
  readonly point: ChartPoint | undefined
  readonly series: readonly ChartSeries[]
  readonly place: number
  readonly left: number
  readonly formatValue: (value: number) => string
  /** Whether it is left of the point, where there is no room at its right. */
  readonly isBefore: boolean
}) {
  if (point === undefined) return null
  return (
    <div className={isBefore ? `${styles.tip} ${styles.isBefore}` : styles.tip} style={{ left }} aria-hidden="true">
      <b>{point.name}</b>
      {series.map(({ id, label, values, colour, pattern = 'solid' }) => {
        const value = values[place]
        return value === undefined ? null : (
          <span key={id} className={legendClass(pattern, colour)}>
            {label} <span className="push number">{formatValue(value)}</span>
          </span>
        )
      })}
    </div>
  )
}

function describePoint(
  point: ChartPoint | undefined,
  {
    series,
    index,
    formatValue,
  }: {
    readonly series: readonly ChartSeries[]
    readonly index: number
    readonly formatValue: (value: number) => string
  },
): string {
  if (point === undefined) return ''
  const values = series.flatMap(({ label, values: { [index]: value } }) =>
    value === undefined ? [] : [`${label} ${formatValue(value)}`],
  )
  return [point.name, ...values].join(', ')
}

/** A number of an axis, such as `2.4K`. */
function formatShort(value: number): string {
  return value < 1000 ? formatNumber(value, 1) : formatCompact(value)
}

function formatCompact(value: number): string {
  return new Intl.NumberFormat(document.documentElement.lang, { notation: 'compact', maximumFractionDigits: 1 }).format(
    value,
  )
}
