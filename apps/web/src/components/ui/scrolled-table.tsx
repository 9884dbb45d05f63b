import type { ReactNode, RefObject } from 'react'

/** A table in a box that scrolls by itself and is reached by keyboard. @param rowCount all rows with the head, when not all are drawn */
export function ScrolledTable({
  label,
  className = 'tbl',
  box,
  rowCount,
  children,
}: {
  readonly label: string
  readonly className?: string
  readonly box?: RefObject<HTMLElement | null>
  readonly rowCount?: number
  readonly children: ReactNode
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled box is reached by keyboard
    <section className="tw" ref={box} tabIndex={0} aria-label={label}>
      <table className={className} {...(rowCount === undefined ? {} : { 'aria-rowcount': rowCount })}>
        {children}
      </table>
    </section>
  )
}
