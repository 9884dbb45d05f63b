import type { ReactNode, RefObject } from 'react'
import { ScrollRegion } from './scroll-region.tsx'
import * as styles from './scrolled-table.module.css'

/** A table in a box that scrolls by itself and is reached by keyboard. @param rowCount all rows with the head, when not all are drawn */
export function ScrolledTable({
  label,
  className = 'table',
  box,
  rowCount,
  foot,
  children,
}: {
  readonly label: string
  readonly className?: string | undefined
  readonly box?: RefObject<HTMLElement | null>
  readonly rowCount?: number
  /** Content below the table, which scrolls with it. */
  readonly foot?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <ScrollRegion className={styles.box} ref={box} aria-label={label}>
      <table className={className} {...(rowCount === undefined ? {} : { 'aria-rowcount': rowCount })}>
        {children}
      </table>
      {foot}
    </ScrollRegion>
  )
}

/** Fills the place of rows of a long table that are not drawn. @param height in pixels */
export function RowGap({ height }: { readonly height: number }) {
  return height > 0 ? (
    <tr className={styles.rowGap}>
      <td style={{ height }} />
    </tr>
  ) : null
}
