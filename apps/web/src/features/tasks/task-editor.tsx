import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Checkbox, SelectField, TextArea, TextField } from '../../components/ui/field.tsx'
import { LeaveGuard } from '../../components/ui/leave-guard.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useConnection } from '../../lib/connection.ts'
import { modelNamesQuery } from '../../lib/server-state.ts'
import { createTask, type Task, updateTask } from './api.ts'
import { type TaskForm, toDraft, toForm } from './form-values.ts'
import { listParameters } from './parameters.ts'
import { ScheduleFields } from './schedule-fields.tsx'
import { SourceFields } from './source-fields.tsx'
import * as styles from './tasks.module.css'

/** The form of a task. Nothing is sent before Save. @param task the task that it changes; a new one without */
export function TaskEditor({ task }: { readonly task?: Task }) {
  const { t } = useTranslation('tasks')
  const navigate = useNavigate()
  const isOffline = useConnection().state === 'offline'
  const start = useRef(toForm(task))
  const [form, setForm] = useState(start.current)
  const isSaved = useRef(false)
  const change = (changes: Partial<TaskForm>) => setForm((before) => ({ ...before, ...changes }))
  const save = useMutation({
    mutationFn: async () => (task === undefined ? createTask(toDraft(form)) : updateTask(task.id, toDraft(form))),
    onSuccess(reply) {
      isSaved.current = true
      notify('success', t('saved', { name: form.name.trim() }))
      if (typeof reply === 'string') {
        void navigate({ to: '/app/agents/tasks/$id', params: { id: reply }, replace: true })
      }
    },
  })
  const isChanged = JSON.stringify(form) !== JSON.stringify(start.current)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form className={styles.form} onSubmit={onSubmit}>
      <MainFields form={form} onChange={change} />
      <ScheduleFields form={form} onChange={change} />
      <SourceFields sources={form.sources} onChange={(sources) => change({ sources })} />
      {save.isError && <ErrorBlock error={save.error} />}
      <div className="row">
        <Button type="submit" kind="primary" busy={save.isPending} disabled={!isChanged || isOffline}>
          {t('save')}
        </Button>
        {isChanged && task !== undefined && <span className="meta">{t('agents:leave.unsaved')}</span>}
      </div>
      <LeaveGuard isNeeded={() => isChanged && !isSaved.current} />
    </form>
  )
}

interface PartProps {
  readonly form: TaskForm
  readonly onChange: (changes: Partial<TaskForm>) => void
}

function MainFields({ form, onChange }: PartProps) {
  const { t } = useTranslation('tasks')
  const models = useQuery(modelNamesQuery).data ?? []
  const names = form.model === '' || models.includes(form.model) ? models : [form.model, ...models]
  const parameters = listParameters(form.prompt)
  return (
    <section className={styles.part} aria-label={t('task')}>
      <TextField
        label={t('name')}
        required
        maxLength={200}
        autoComplete="off"
        value={form.name}
        onChange={({ target }) => onChange({ name: target.value })}
      />
      <SelectField
        label={t('model')}
        hint={t('modelHint')}
        required
        options={[['', t('chooseModel')], ...names.map((name) => [name, name] as const)]}
        value={form.model}
        onChange={({ target }) => onChange({ model: target.value })}
      />
      <div className={styles.wide}>
        <TextArea
          label={t('prompt')}
          hint={
            parameters.length === 0
              ? t('promptHint', { example: '{{.city}}' })
              : t('promptUses', { names: parameters.join(', ') })
          }
          required
          rows={6}
          maxLength={262_144}
          value={form.prompt}
          onChange={({ target }) => onChange({ prompt: target.value })}
        />
      </div>
      <div className={styles.wide}>
        <TextField
          label={t('description')}
          maxLength={10_000}
          autoComplete="off"
          value={form.description}
          onChange={({ target }) => onChange({ description: target.value })}
        />
      </div>
      <div className={styles.wide}>
        <Checkbox
          label={t('enabledAbout')}
          checked={form.enabled}
          onChange={({ target }) => onChange({ enabled: target.checked })}
        />
      </div>
    </section>
  )
}
