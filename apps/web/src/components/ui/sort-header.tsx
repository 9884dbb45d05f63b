/** An order of a list: a column, and whether its largest value comes first. */
export interface SortOrder<Column extends string> {
  readonly by: Column
  readonly descending: boolean
}

/** The head of a column that sorts; a second press turns the order round. */
export function SortHeader<Column extends string>({
  column,
  text,
  order,
  isNumber = false,
  className = '',
  onSort,
}: {
  readonly column: Column
  readonly text: string
  readonly order: SortOrder<Column>
  readonly isNumber?: boolean
  readonly className?: string | undefined
  readonly onSort: (order: SortOrder<Column>) => void
}) {
  const isActive = order.by === column
  return (
    <th
      scope="col"
      className={isNumber ? `number ${className}` : className}
      {...(isActive ? { 'aria-sort': order.descending ? ('descending' as const) : ('ascending' as const) } : {})}
    >
      <button type="button" onClick={() => onSort({ by: column, descending: isActive ? !order.descending : isNumber })}>
        {text}
        <span aria-hidden="true">{isActive ? (order.descending ? '↓' : '↑') : ''}</span>
      </button>
    </th>
  )
}
