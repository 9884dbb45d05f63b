import { useTranslation } from 'react-i18next'
import { TextField } from '../../components/ui/field.tsx'

/** Range of a number that may be left open. */
export interface NumberRange {
  readonly min: number
  readonly max: number
  /** @default 1: whole numbers */
  readonly step?: number
}

/** The number in a field; undefined for an empty one, `wrong` outside of its range. */
export function readNumber(text: string, { min, max, step = 1 }: NumberRange): number | undefined | 'wrong' {
  if (text.trim() === '') return undefined
  const value = Number(text)
  const isWhole = step !== 1 || Number.isInteger(value)
  return value >= min && value <= max && isWhole ? value : 'wrong'
}

/** Gives the fields of a body whose texts hold numbers. */
export function toNumbers<Name extends string>(
  texts: Readonly<Record<NoInfer<Name>, string>>,
  ranges: Readonly<Record<Name, NumberRange>>,
): Partial<Record<Name, number>> {
  const names = Object.keys(ranges) as Name[]
  const read = names.map((name) => [name, readNumber(texts[name], ranges[name])] as const)
  return Object.fromEntries(read.filter(([, value]) => typeof value === 'number')) as Partial<Record<Name, number>>
}

/** Whether no field of a form is outside of its range. */
export function areNumbersFit<Name extends string>(
  texts: Readonly<Record<NoInfer<Name>, string>>,
  ranges: Readonly<Record<Name, NumberRange>>,
): boolean {
  return (Object.keys(ranges) as Name[]).every((name) => readNumber(texts[name], ranges[name]) !== 'wrong')
}

/** A number that may be left open. */
export function NumberField({
  label,
  text,
  range,
  placeholder,
  onChange,
}: {
  readonly label: string
  readonly text: string
  readonly range: NumberRange
  readonly placeholder?: string
  readonly onChange: (text: string) => void
}) {
  const { t } = useTranslation('playground')
  const { min, max, step = 1 } = range
  return (
    <TextField
      label={label}
      type="number"
      inputMode={step === 1 ? 'numeric' : 'decimal'}
      {...{ min, max, step }}
      placeholder={placeholder}
      value={text}
      error={readNumber(text, range) === 'wrong' ? t('range', { min, max }) : undefined}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
