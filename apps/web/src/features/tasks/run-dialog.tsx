import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { runTask, type Task } from './api.ts'
import { pickParameters } from './form-values.ts'
import { ParameterFields } from './parameter-fields.tsx'
import { listParameters } from './parameters.ts'

/** Asks for the parameters of a task, runs it, and leads to the job. */
export function RunDialog({ task, onClose }: { readonly task: Task; readonly onClose: () => void }) {
  const { t } = useTranslation('tasks')
  const form = useId()
  const navigate = useNavigate()
  const [values, setValues] = useState<Readonly<Record<string, string>>>(task.cron_parameters ?? {})
  const run = useMutation({ mutationFn: () => runTask(task.id, pickParameters(task.prompt, values)) })
  const names = listParameters(task.prompt)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    run.mutate(undefined, {
      onSuccess: (id) => {
        onClose()
        void navigate({ to: '/app/agents/jobs/$id', params: { id } })
      },
    })
  }
  return (
    <Dialog
      title={t('runNamed', { name: task.name })}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button type="submit" form={form} kind="primary" busy={run.isPending}>
            {t('run')}
          </Button>
        </>
      }
    >
      <form id={form} className="stack" onSubmit={onSubmit}>
        <p>{names.length === 0 ? t('runPlain', { model: task.model }) : t('runAbout', { model: task.model })}</p>
        <ParameterFields names={names} values={values} onChange={setValues} />
        {run.isError && <ErrorBlock error={run.error} />}
      </form>
    </Dialog>
  )
}
