import { Dialog } from '../ui/dialog.tsx'
import { ScrollRegion } from '../ui/scroll-region.tsx'
import * as chartStyles from './chart.module.css'
import type { ChartPoint, ChartSeries } from './chart-data.ts'

/** The data of a chart as a table, above the page. */
export function ChartTable({
  caption,
  points,
  series,
  formatValue,
  onClose,
}: {
  readonly caption: string
  readonly points: readonly ChartPoint[]
  readonly series: readonly ChartSeries[]
  readonly formatValue: (value: number) => string
  readonly onClose: () => void
}) {
  return (
    <Dialog title={caption} onClose={onClose}>
      <ScrollRegion className={chartStyles.chartTable} aria-label={caption}>
        <table className="table compact">
          <thead>
            <tr>
              <td />
              {series.map(({ id, label }) => (
                <th key={id} scope="col" className="number">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {points.map(({ name }, index) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {series.map(({ id, values: { [index]: value } }) => (
                  <td key={id} className="number freeCell">
                    {value === undefined ? '' : formatValue(value)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </Dialog>
  )
}
