import { Checkbox } from '../../components/ui/field.tsx'
import * as styles from './agents.module.css'

/** Something that an agent may use. */
export interface Choice {
  readonly id: string
  readonly name: string
}

/** Choices to tick. Chosen ones that are gone are shown by their id. */
export function ChoiceList({
  choices,
  chosen,
  none,
  onChange,
}: {
  readonly choices: readonly Choice[]
  readonly chosen: readonly string[]
  /** Said when there is nothing to choose. */
  readonly none: string
  readonly onChange: (chosen: readonly string[]) => void
}) {
  const gone = chosen.filter((id) => !choices.some((choice) => choice.id === id))
  const rows = [...choices, ...gone.map((id) => ({ id, name: id }))]
  if (rows.length === 0) return <p className={`muted ${styles.wide}`}>{none}</p>
  return (
    <div className={`${styles.stores} ${styles.wide}`}>
      {rows.map(({ id, name }) => (
        <Checkbox
          key={id}
          label={name}
          checked={chosen.includes(id)}
          onChange={({ target }) => onChange(target.checked ? [...chosen, id] : chosen.filter((each) => each !== id))}
        />
      ))}
    </div>
  )
}
