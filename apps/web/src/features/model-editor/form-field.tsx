import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import * as fieldStyles from '../../components/ui/field.module.css'
import { SelectField, TextArea, TextField } from '../../components/ui/field.tsx'
import { formatBytes } from '../../lib/format.ts'
import { useDebounced } from '../../lib/use-debounced.ts'
import { completionsQuery, memoryQuery } from './api.ts'
import type { ConfigField } from './field-catalogue.ts'
import { listChoices, printLines, readSwitch, toFieldText, toLines, toScalar } from './field-values.ts'
import { type ModelDocument, parseValue, printValue, readValue, splitPath } from './model-text.ts'
import type { Problem } from './problem.ts'

interface FieldProps {
  readonly field: ConfigField
  readonly model: ModelDocument
  readonly problem: Problem | undefined
  readonly savedName: string | undefined
  /** Undefined removes the key. */
  readonly onChange: (value: unknown) => void
}

/** One key of a model file. */
export function FormField({ field, model, problem, savedName, onChange }: FieldProps) {
  const { t } = useTranslation('model-editor')
  const value = readValue(model, splitPath(field.path))
  const about = {
    label: field.label,
    hint: <Hint field={field} value={value} savedName={savedName} />,
    error: problem === undefined ? undefined : t(`problem.${problem.code}`, { ...problem.values }),
  }
  switch (field.component) {
    case 'toggle':
      return (
        <SelectField
          {...about}
          value={readSwitch(value)}
          options={[
            ['', t('unset')],
            ['true', t('on')],
            ['false', t('off')],
          ]}
          onChange={({ target }) => onChange(target.value === '' ? undefined : target.value === 'true')}
        />
      )
    case 'select':
      return (
        <SelectField
          {...about}
          value={toFieldText(value)}
          options={[['', t('unset')], ...listChoices(field, value).map((option) => [option, option] as const)]}
          onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
        />
      )
    case 'string-list':
      return <ListField about={about} value={value} onChange={onChange} />
    case 'json-editor':
      return <YamlField about={about} value={value} onChange={onChange} />
    case 'autocomplete':
      return <NameField about={about} value={value} provider={field.provider ?? 'models'} onChange={onChange} />
    default:
      return (
        <TextField
          {...about}
          value={toFieldText(value)}
          {...(field.component === 'number' && { inputMode: 'decimal' as const })}
          onChange={({ target }) => onChange(toScalar(target.value, field))}
        />
      )
  }
}

interface ValueProps {
  readonly about: { readonly label: string; readonly hint: ReactNode; readonly error: string | undefined }
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

/** A list of texts, one a line. */
function ListField({ about, value, onChange }: ValueProps) {
  const lines = printLines(value)
  const [text, setText] = useState(lines)
  // a line that is being typed may be empty, which the file does not keep
  useEffect(() => setText((typed) => (toLines(typed).join('\n') === lines ? typed : lines)), [lines])
  return (
    <TextArea
      {...about}
      rows={Math.min(8, Math.max(2, text.split('\n').length))}
      value={text}
      onChange={({ target }) => {
        setText(target.value)
        const next = toLines(target.value)
        onChange(next.length === 0 ? undefined : next)
      }}
    />
  )
}

/** A part of the file as YAML, taken over when the field is left. */
function YamlField({ about, value, onChange }: ValueProps) {
  const printed = printValue(value)
  const [text, setText] = useState(printed)
  const [fault, setFault] = useState<string>()
  useEffect(() => setText(printed), [printed])
  const leave = () => {
    if (text === printed) return setFault(undefined)
    const read = parseValue(text)
    if ('fault' in read) return setFault(read.fault)
    setFault(undefined)
    return onChange(read.value)
  }
  return (
    <TextArea
      {...about}
      error={fault ?? about.error}
      className={`${fieldStyles.input} monospace`}
      rows={Math.min(14, Math.max(2, text.split('\n').length))}
      value={text}
      onChange={({ target }) => setText(target.value)}
      onBlur={leave}
    />
  )
}

function NameField({ about, value, provider, onChange }: ValueProps & { readonly provider: string }) {
  const list = useId()
  const names = useQuery(completionsQuery(provider)).data ?? []
  return (
    <>
      <TextField
        {...about}
        list={list}
        autoComplete="off"
        value={toFieldText(value)}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      />
      <datalist id={list}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  )
}

function Hint({
  field: { path, description },
  value,
  savedName,
}: {
  readonly field: ConfigField
  readonly value: unknown
  readonly savedName: string | undefined
}) {
  return (
    <>
      <code>{path}</code> {description}
      {path === 'context_size' && savedName !== undefined && <MemoryHint name={savedName} context={value} />}
    </>
  )
}

/** Amount of memory that the model takes with the typed context. */
function MemoryHint({ name, context }: { readonly name: string; readonly context: unknown }) {
  const { t } = useTranslation('model-editor')
  const size = useDebounced(Number(context ?? 0), 400)
  const isSize = Number.isInteger(size) && size > 0
  const bytes = useQuery({ ...memoryQuery(name, size), enabled: isSize }).data
  if (!isSize || bytes === undefined) return null
  return <b> {bytes === null ? t('memoryUnknown') : t('memory', { bytes: formatBytes(bytes) })}</b>
}
