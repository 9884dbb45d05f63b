import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { textScale } from '../../lib/text-size.ts'
import * as chartStyles from './chart.module.css'
import 'uplot/dist/uPlot.min.css'
import { type ChartPoint, type ChartSeries, pickTicks, roundUpAxis, stackSeries } from './chart-data.ts'
import { createFill, type Palette, readPalette, watchTheme } from './paint.ts'

/** Content of the plot, and the place of the cursor. */
export interface PlotProps {
  readonly kind: 'bars' | 'lines'
  readonly points: readonly ChartPoint[]
  readonly series: readonly ChartSeries[]
  readonly height: number
  /** The highest value of the axis. @default the highest of the data, rounded up */
  readonly max?: number | undefined
  /** Draws neither axes nor grid. */
  readonly isBare: boolean
  readonly formatTick: (value: number) => string
  /** @param left pixels from the left edge to the middle of the point */
  readonly onHover: (index: number | undefined, left: number) => void
  /** The place that the keyboard has chosen. */
  readonly cursor: number | undefined
}

const AXIS_WIDTH = 40 * textScale
const AXIS_HEIGHT = 20 * textScale
const TICK_WIDTH = 76 * textScale

/** The drawing itself, by uPlot. It loads with the first chart that is shown. */
export function Plot(props: PlotProps) {
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const latest = useRef(props)
  const drawn = useRef<readonly ChartSeries[]>(undefined)
  latest.current = props
  const { kind, points, series, height, max, isBare } = props
  const shape = [kind, height, max, isBare, points.length, ...series.map(({ id, colour }) => id + colour)].join()

  useEffect(() => {
    const element = host.current
    if (element === null) return undefined
    const draw = () => {
      plot.current?.destroy()
      plot.current = createPlot(element, latest)
      drawn.current = latest.current.series
    }
    draw()
    const observer = new ResizeObserver(() => {
      const width = element.clientWidth
      if (plot.current !== undefined && width > 0 && width !== plot.current.width)
        plot.current.setSize({ width, height })
    })
    observer.observe(element)
    const endWatch = watchTheme(draw)
    return () => {
      observer.disconnect()
      endWatch()
      plot.current?.destroy()
      plot.current = undefined
    }
  }, [shape])

  useEffect(() => {
    // a new drawing has its data already; later data goes into it, so that the cursor stays
    if (drawn.current === series) return
    drawn.current = series
    plot.current?.setData(toData({ kind, points, series }))
  }, [kind, points, series])

  const { cursor } = props
  useEffect(() => {
    const drawn = plot.current
    if (drawn === undefined) return
    if (cursor === undefined) drawn.setCursor({ left: -10, top: -10 })
    else drawn.setCursor({ left: drawn.valToPos(cursor, 'x'), top: 1 })
  }, [cursor])

  return <div ref={host} className={chartStyles.plotHost} style={{ height }} />
}

type Latest = { readonly current: PlotProps }

/** Stacked bars lie on each other; lines begin at 0. */
function toRows({ kind, points, series }: Pick<PlotProps, 'kind' | 'points' | 'series'>): (number | null)[][] {
  return kind === 'bars'
    ? stackSeries(series, points.length).map(({ upper }) => [...upper])
    : series.map(({ values }) => points.map((_, index) => values[index] ?? null))
}

function toData(shown: Pick<PlotProps, 'kind' | 'points' | 'series'>): uPlot.AlignedData {
  return [shown.points.map((_, index) => index), ...toRows(shown)]
}

/** The highest value of the axis. */
function findTop(shown: PlotProps): number {
  return shown.max ?? roundUpAxis(Math.max(0, ...toRows(shown).flatMap((row) => row.map((value) => value ?? 0))))
}

function createPlot(host: HTMLDivElement, latest: Latest): uPlot {
  const { kind, points, series, height, isBare } = latest.current
  const palette = readPalette()
  const last = points.length - 1
  const options: uPlot.Options = {
    width: Math.max(1, host.clientWidth),
    height,
    legend: { show: false },
    padding: isBare ? [2, 0, 2, 0] : [6 * textScale, 2, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === 'lines' } },
    scales: {
      x: { time: false, range: kind === 'bars' ? [-0.5, last + 0.5] : [0, Math.max(1, last)] },
      y: { range: () => [0, findTop(latest.current)] },
    },
    axes: isBare ? [{ show: false }, { show: false }] : createAxes(palette, latest),
    series: [
      {},
      ...series.map(
        ({ colour }): uPlot.Series =>
          kind === 'bars'
            ? { paths: () => null, points: { show: false } }
            : {
                stroke: palette.read(colour),
                width: 1.5,
                fill: `color-mix(in srgb, ${palette.read(colour)} 14%, transparent)`,
                points: { show: false },
              },
      ),
    ],
    hooks: {
      draw: [(drawn) => kind === 'bars' && drawBars(drawn, latest.current, palette)],
      setCursor: [
        (drawn) => {
          const { cursor } = drawn
          const index = cursor.idx ?? undefined
          const inside = index !== undefined && (cursor.left ?? -1) >= 0
          const left = inside ? drawn.valToPos(index, 'x') + (isBare ? 0 : AXIS_WIDTH) : 0
          latest.current.onHover(inside ? index : undefined, left)
        },
      ],
    },
  }
  return new uPlot(options, toData(latest.current), host)
}

function createAxes(palette: Palette, latest: Latest): uPlot.Axis[] {
  const shared = { stroke: palette.read('text-3'), font: palette.font, ticks: { show: false } }
  return [
    {
      ...shared,
      size: AXIS_HEIGHT,
      gap: 6,
      grid: { show: false },
      splits: ({ bbox }) => pickTicks(latest.current.points.length, bbox.width / devicePixelRatio, TICK_WIDTH),
      values: (_, indexes) => indexes.map((index) => latest.current.points[index]?.tick ?? ''),
    },
    {
      ...shared,
      size: AXIS_WIDTH,
      gap: 6,
      grid: { stroke: palette.read('line'), width: 1 },
      splits: () => [0, 0.5, 1].map((share) => share * findTop(latest.current)),
      values: (_, values) => values.map((value) => latest.current.formatTick(value)),
    },
  ]
}

function drawBars(plot: uPlot, { series, points }: PlotProps, palette: Palette): void {
  const stacked = stackSeries(series, points.length)
  const { ctx } = plot
  const toX = (index: number) => plot.valToPos(index, 'x', true)
  const toY = (value: number) => plot.valToPos(value, 'y', true)
  const ratio = devicePixelRatio
  const width = Math.max(1, Math.min(48 * ratio, (toX(1) - toX(0)) * 0.78))
  const ground = palette.read('bg')
  ctx.save()
  for (const [place, { colour, pattern = 'solid', values }] of series.entries()) {
    ctx.fillStyle = createFill(ctx, { colour: palette.read(colour), pattern, ground })
    const { lower = [], upper = [] } = stacked[place] ?? {}
    for (const [index, value] of values.entries()) {
      if (!value || value <= 0) continue
      const bottom = toY(lower[index] ?? 0)
      // a value that is there is seen, however small it is
      const bar = Math.max(3 * ratio, bottom - toY(upper[index] ?? 0))
      ctx.beginPath()
      ctx.roundRect(toX(index) - width / 2, bottom - bar, width, bar, 1.5 * ratio)
      ctx.fill()
    }
  }
  ctx.restore()
}
