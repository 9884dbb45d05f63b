import type { ReactNode, RefObject } from 'react'

/** A table in a box that scrolls by itself and is reached by keyboard. @param rowCount all rows with the head, when not all are drawn */
export function ScrolledTable({
  label,
  className = 'tbl',
  box,
  rowCount,
  foot,
  children,
}: {
  readonly label: string
  readonly className?: string
  readonly box?: RefObject<HTMLElement | null>
  readonly rowCount?: number
  /** Stands below the table and scrolls with it. */
  readonly foot?: ReactNode
  readonly children: ReactNode
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled box is reached by keyboard
    <section className="tw" ref={box} tabIndex={0} aria-label={label}>
      <table className={className} {...(rowCount === undefined ? {} : { 'aria-rowcount': rowCount })}>
        {children}
      </table>
      {foot}
    </section>
  )
}

/** Stands for the rows of a long table that are not drawn. @param height in pixels */
export function RowGap({ height }: { readonly height: number }) {
  return height > 0 ? (
    <tr className="gap">
      <td style={{ height }} />
    </tr>
  ) : null
}
