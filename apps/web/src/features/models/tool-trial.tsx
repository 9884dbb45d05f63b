import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Checkbox, SelectField, Switch, TextArea, TextField } from '../../components/ui/field.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { api, unwrap } from '../../lib/api-client.ts'
import { useConnection } from '../../lib/connection.ts'
import type { Tool } from '../../lib/tools.ts'
import { ToolAnswer } from './tool-answer.tsx'
import {
  type ArgumentField,
  type FieldValues,
  listFields,
  readArguments,
  readJsonArguments,
  toJsonText,
} from './tool-arguments.ts'
import * as styles from './tools.module.css'

/** Calls a tool by hand: its arguments as a form where their schema is simple, else as JSON. */
export function ToolTrial({
  model,
  server,
  tool: { tool, inputSchema },
}: {
  readonly model: string
  readonly server: string
  readonly tool: Tool
}) {
  const { t } = useTranslation('models')
  const isOffline = useConnection().state === 'offline'
  const fields = listFields(inputSchema)
  const [isJson, setJson] = useState(fields === undefined)
  const [values, setValues] = useState<FieldValues>({})
  const [text, setText] = useState('{}')
  const [isChecked, setChecked] = useState(false)
  const run = useMutation({
    mutationFn: async (args: Record<string, unknown>) =>
      unwrap(
        api.POST('/v1/mcp/tools/{model}/call', {
          params: { path: { model } },
          body: { server, tool, arguments: args },
        }),
      ),
  })
  const read = isJson || fields === undefined ? readJsonArguments(text) : readArguments(fields, values)
  const problems = isChecked && 'problems' in read ? read.problems : {}
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if ('args' in read) run.mutate(read.args)
  }
  return (
    <form className={`stack tight ${styles.trial}`} onSubmit={submit}>
      {fields !== undefined && fields.length > 0 && (
        <Switch
          label={t('tools.asJson')}
          checked={isJson}
          onChange={({ target }) => {
            if (target.checked) setText(toJsonText(fields, values))
            setJson(target.checked)
          }}
        />
      )}
      {isJson || fields === undefined ? (
        <TextArea
          label={t('tools.arguments')}
          className="monospace"
          rows={6}
          spellCheck={false}
          value={text}
          error={problems[''] && t('tools.problem.json')}
          onChange={({ target }) => setText(target.value)}
        />
      ) : (
        fields.map((field) => (
          <ArgumentInput
            key={field.name}
            field={field}
            value={values[field.name] ?? ''}
            problem={problems[field.name]}
            onChange={(value) => setValues({ ...values, [field.name]: value })}
          />
        ))
      )}
      <div className="row wrap">
        <Button kind="primary" type="submit" busy={run.isPending} disabled={isOffline}>
          {t('tools.run')}
        </Button>
      </div>
      {run.isError && <ErrorBlock error={run.error} />}
      {run.data !== undefined && <ToolAnswer answer={run.data} />}
    </form>
  )
}

/** One argument by its schema. */
function ArgumentInput({
  field,
  value,
  problem,
  onChange,
}: {
  readonly field: ArgumentField
  readonly value: string
  readonly problem: 'required' | 'number' | undefined
  readonly onChange: (value: string) => void
}) {
  const { t } = useTranslation('models')
  const about = useId()
  const { name, kind, choices = [], description, isRequired } = field
  const label = isRequired ? t('tools.required', { name }) : name
  const shared = { label, hint: description, error: problem && t(`tools.problem.${problem}`) }
  if (kind === 'boolean')
    return (
      <div>
        <Checkbox
          label={label}
          checked={value === 'true'}
          aria-describedby={description === undefined ? undefined : about}
          onChange={({ target }) => onChange(String(target.checked))}
        />
        {description !== undefined && (
          <p className="meta" id={about}>
            {description}
          </p>
        )}
      </div>
    )
  if (kind === 'choice')
    return (
      <SelectField
        {...shared}
        options={[['', t('tools.noChoice')], ...choices.map((choice) => [choice, choice] as const)]}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    )
  if (kind === 'string')
    return <TextArea {...shared} rows={1} value={value} onChange={({ target }) => onChange(target.value)} />
  return <TextField {...shared} inputMode="decimal" value={value} onChange={({ target }) => onChange(target.value)} />
}
