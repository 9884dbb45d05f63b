import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import * as progressBarStyles from '../../components/ui/progress-bar.module.css'
import { RowGap, ScrolledTable } from '../../components/ui/scrolled-table.tsx'
import { useVirtualRows } from '../../components/ui/use-virtual-rows.ts'
import type { HeldRows } from '../../lib/held-rows.ts'
import { textScale } from '../../lib/text-size.ts'
import * as styles from './traces.module.css'
import type { TracesAddress } from './use-traces-search.ts'

/** A column of either list. */
export interface TraceColumn<Trace> {
  readonly id: string
  readonly head: string
  /** A width of CSS; the columns without one share the rest. */
  readonly width?: string
  readonly className?: string
  readonly isNumber?: boolean
  readonly cell: (trace: Trace) => ReactNode
}

/** Properties of either list that the page decides. */
export interface TableLook {
  readonly isCompact: boolean
  /** Content below the rows. */
  readonly foot: ReactNode
}

const ROW_HEIGHT = 36 * textScale
const COMPACT_ROW_HEIGHT = 28 * textScale

/** A list of traces whose rows open the detail. Long lists draw only the rows in view. */
export function TraceTable<Trace extends { readonly id: string }>({
  label,
  address: { search, openId, open },
  held: { rows, total },
  columns,
  look: { isCompact, foot },
}: {
  readonly label: string
  readonly address: TracesAddress
  readonly held: HeldRows<Trace>
  readonly columns: readonly TraceColumn<Trace>[]
  readonly look: TableLook
}) {
  const scroller = useRef<HTMLElement>(null)
  const { indexes, before, after, scrollTo } = useVirtualRows(
    rows.length,
    scroller,
    isCompact ? COMPACT_ROW_HEIGHT : ROW_HEIGHT,
  )
  const offset = ((search.page ?? 1) - 1) * (search.per ?? 50)
  const place = rows.findIndex(({ id }) => id === openId)
  const scroll = useRef(scrollTo)
  scroll.current = scrollTo
  useEffect(() => {
    if (place >= 0) scroll.current(place)
  }, [place])
  const openedBefore = useRef(openId)
  useEffect(() => {
    const closed = openedBefore.current
    openedBefore.current = openId
    // the panel took the focus with it
    if (openId !== undefined || closed === undefined || document.activeElement !== document.body) return
    scroller.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(closed)}"] a`)?.focus()
  }, [openId])
  return (
    <ScrolledTable
      className={isCompact ? `table ${styles.table} stacked compact` : `table ${styles.table} stacked`}
      label={label}
      box={scroller}
      rowCount={total + 1}
      foot={foot}
    >
      <colgroup>
        {columns.map(({ id, width }) => (
          <col key={id} style={width === undefined ? {} : { width }} />
        ))}
      </colgroup>
      <thead>
        <tr aria-rowindex={1}>
          {columns.map(({ id, head, isNumber = false }) => (
            <th key={id} scope="col" className={isNumber ? 'number' : ''}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <RowGap height={before} />
        {indexes.map((index) => {
          const trace = rows[index]
          return trace === undefined ? null : (
            <tr
              key={trace.id}
              data-row={trace.id}
              aria-rowindex={offset + index + 2}
              aria-selected={trace.id === openId}
              onClick={() => open(trace.id)}
            >
              {columns.map(({ id, className = '', cell }) => (
                <td key={id} className={className}>
                  {cell(trace)}
                </td>
              ))}
            </tr>
          )
        })}
        <RowGap height={after} />
      </tbody>
    </ScrolledTable>
  )
}

/** The link of a row; a click elsewhere in the row does the same. */
export function TraceLink({
  id,
  address: { search },
  children,
}: {
  readonly id: string
  readonly address: TracesAddress
  readonly children: ReactNode
}) {
  return (
    <Link
      to="/app/traces/$id"
      params={{ id }}
      search={search}
      className="mainLink clip"
      preload={false}
      activeProps={{}}
      onClick={(event) => event.stopPropagation()}
    >
      {children}
    </Link>
  )
}

/** A duration with a bar against a usual one; longer ones are red and full. */
export function DurationBar({
  ms,
  usualMs,
  text,
}: {
  readonly ms: number
  readonly usualMs: number
  readonly text: string
}) {
  const isLong = usualMs > 0 && ms > usualMs
  const share = usualMs > 0 ? Math.min(1, ms / usualMs) : 0
  return (
    <span className="duration">
      <span className={`${progressBarStyles.bar} ${styles.durationBar}`}>
        <i
          className={isLong ? progressBarStyles.bad : progressBarStyles.muted}
          style={{ width: `${Math.round(share * 100)}%` }}
        />
      </span>
      <span className="number">{text}</span>
    </span>
  )
}
