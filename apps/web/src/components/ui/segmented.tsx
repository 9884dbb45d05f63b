import * as styles from './segmented.module.css'
/** One choice of a few, all of them visible. */
export function Segmented<Value extends string>({
  label,
  value,
  options,
  onChange,
  small = false,
}: {
  readonly label: string
  readonly value: Value
  readonly options: readonly (readonly [value: Value, text: string])[]
  readonly onChange: (value: Value) => void
  readonly small?: boolean
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as one row everywhere
    <div className={small ? `${styles.segmented} ${styles.small}` : styles.segmented} role="group" aria-label={label}>
      {options.map(([option, text]) => (
        <button key={option} type="button" aria-pressed={option === value} onClick={() => onChange(option)}>
          {text}
        </button>
      ))}
    </div>
  )
}
