import { type ComponentProps, type ReactNode, useContext, useId } from 'react'
import { useTranslation } from 'react-i18next'
import * as styles from './field.module.css'
import { Icon } from './icon.tsx'
import { SheetContext } from './sheet-context.ts'

interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  /** The reason why the value is refused. */
  readonly error?: string | undefined
}

function describe(id: string, { hint, error }: FieldProps) {
  return {
    id,
    'aria-invalid': error !== undefined || undefined,
    'aria-describedby': error === undefined && hint === undefined ? undefined : `${id}-about`,
  }
}

function About({ id, hint, error }: FieldProps & { readonly id: string }) {
  if (error !== undefined)
    return (
      <p className={`${styles.hint} ${styles.error}`} id={`${id}-about`} role="alert">
        <Icon name="warn" small />
        {error}
      </p>
    )
  return hint === undefined ? null : (
    <p className={styles.hint} id={`${id}-about`}>
      {hint}
    </p>
  )
}

/** One line of text with its label. */
export function TextField({ label, hint, error, ...rest }: FieldProps & ComponentProps<'input'>) {
  const id = useId()
  const about = { label, hint, error }
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input className={styles.input} {...rest} {...describe(id, about)} />
      <About id={id} {...about} />
    </div>
  )
}

/** Several lines of text with their label. */
export function TextArea({ label, hint, error, ...rest }: FieldProps & ComponentProps<'textarea'>) {
  const id = useId()
  const about = { label, hint, error }
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <textarea className={styles.input} {...rest} {...describe(id, about)} />
      <About id={id} {...about} />
    </div>
  )
}

/** A choice from a short list. @param options values and their words, in order */
export function SelectField({
  label,
  hint,
  error,
  options,
  ...rest
}: FieldProps & { readonly options: readonly (readonly [value: string, text: string])[] } & Omit<
    ComponentProps<'select'>,
    'children'
  >) {
  const id = useId()
  const about = { label, hint, error }
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <select className={styles.input} {...rest} {...describe(id, about)}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      <About id={id} {...about} />
    </div>
  )
}

/** The same choice for filters: without a visible label in a row, with one in a sheet. */
export function SelectFilter({
  label,
  options,
  ...rest
}: { readonly label: string; readonly options: readonly (readonly [value: string, text: string])[] } & Omit<
  ComponentProps<'select'>,
  'children'
>) {
  const isInSheet = useContext(SheetContext)
  if (isInSheet) return <SelectField label={label} options={options} {...rest} />
  return (
    <select className={`${styles.input} ${styles.filter}`} aria-label={label} {...rest}>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  )
}

/** A box to tick, with its words beside it. */
export function Checkbox({ label, ...rest }: { readonly label: ReactNode } & ComponentProps<'input'>) {
  return (
    <label className={styles.check}>
      <input type="checkbox" {...rest} />
      {label}
    </label>
  )
}

/** A switch that acts at once. */
export function Switch({
  label,
  checked,
  ...rest
}: { readonly label: ReactNode; readonly checked: boolean } & ComponentProps<'input'>) {
  return (
    <label className={styles.check}>
      <input
        type="checkbox"
        role="switch"
        aria-checked={checked}
        className={styles.switch}
        checked={checked}
        {...rest}
      />
      {label}
    </label>
  )
}

/** A search box; `/` puts the cursor into the first one of a page. */
export function SearchField({
  label,
  value,
  onChange,
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}) {
  const { t } = useTranslation()
  return (
    <div className={styles.searchField} data-search-field>
      <Icon name="search" small />
      <input
        type="search"
        className={styles.input}
        data-page-search
        aria-label={label}
        placeholder={t('search')}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  )
}
