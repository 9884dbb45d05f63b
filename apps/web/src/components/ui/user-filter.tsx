import { useUserLabels } from '../../lib/users.ts'
import { NameFilter } from './name-filter.tsx'

/**
 * A filter by an account. It shows and takes names, or ids of accounts whose names the viewer does not have.
 *
 * @param value the id of an account; empty for all
 * @param ids accounts to suggest
 */
export function UserFilter({
  label,
  value,
  ids,
  onChange,
}: {
  readonly label: string
  readonly value: string
  readonly ids: readonly (string | undefined)[]
  readonly onChange: (id: string) => void
}) {
  const { labelOf, idOf } = useUserLabels()
  return (
    <NameFilter
      label={label}
      value={labelOf(value)}
      names={ids.map((id) => id && labelOf(id))}
      onChange={(text) => onChange(idOf(text))}
    />
  )
}
