import { type ComponentProps, useContext, useId } from 'react'
import { useSettledText } from '../../lib/use-settled-text.ts'
import * as fieldStyles from './field.module.css'
import { TextField } from './field.tsx'
import { SheetContext } from './sheet-context.ts'

/**
 * A filter by a whole name.
 *
 * @param names suggestions; undefined ones and repeats are left out
 * @param isSearch whether `/` goes there
 */
export function NameFilter({
  label,
  value,
  names = [],
  isSearch = false,
  onChange,
}: {
  readonly label: string
  readonly value: string
  readonly names?: readonly (string | undefined)[]
  readonly isSearch?: boolean
  readonly onChange: (value: string) => void
}) {
  const list = useId()
  const isInSheet = useContext(SheetContext)
  const [text, setText] = useSettledText(value, onChange)
  const known = [...new Set(names.filter((name) => name !== undefined && name !== ''))].sort()
  const input: ComponentProps<'input'> = {
    autoComplete: 'off',
    spellCheck: false,
    value: text,
    onChange: ({ target }) => setText(target.value),
    // a sheet may close before the text has rested
    onBlur: ({ target }) => {
      if (target.value !== value) onChange(target.value)
    },
    ...(known.length > 0 ? { list } : {}),
    ...(isSearch ? { 'data-page-search': true } : {}),
  }
  return (
    <>
      {isInSheet ? (
        <TextField label={label} {...input} />
      ) : (
        <input
          className={`${fieldStyles.input} ${fieldStyles.filter}`}
          aria-label={label}
          placeholder={label}
          data-name-filter
          {...input}
        />
      )}
      {known.length > 0 && (
        <datalist id={list}>
          {known.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
    </>
  )
}
