import { TextArea } from '../../components/ui/field.tsx'

type Values = Readonly<Record<string, string>>

/** A field for each parameter of a prompt. */
export function ParameterFields({
  names,
  values,
  onChange,
}: {
  readonly names: readonly string[]
  readonly values: Values
  readonly onChange: (values: Values) => void
}) {
  return (
    <>
      {names.map((name) => (
        <TextArea
          key={name}
          label={name}
          rows={1}
          value={values[name] ?? ''}
          onChange={({ target }) => onChange({ ...values, [name]: target.value })}
        />
      ))}
    </>
  )
}
