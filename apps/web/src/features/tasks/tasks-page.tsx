import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { AgentsFrame } from '../../components/agents/agents-frame.tsx'
import { DeleteDialog } from '../../components/agents/delete-dialog.tsx'
import { Button, buttonClass } from '../../components/ui/button.tsx'
import { Switch } from '../../components/ui/field.tsx'
import { Icon } from '../../components/ui/icon.tsx'
import { RowMenu } from '../../components/ui/menu.tsx'
import { EmptyState, QueryView } from '../../components/ui/states.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useConnection } from '../../lib/connection.ts'
import { deleteTask, type Task, tasksQuery, updateTask } from './api.ts'
import { toDraft, toForm } from './form-values.ts'
import { RunDialog } from './run-dialog.tsx'
import * as styles from './tasks.module.css'

/** Tasks: prompts that run by hand, by a schedule, or by their name. */
export function TasksPage() {
  const { t } = useTranslation('tasks')
  const tasks = useQuery(tasksQuery)
  const [started, setStarted] = useState<Task>()
  const [doomed, setDoomed] = useState<Task>()
  const add = (
    <Link className={buttonClass('primary')} to="/app/agents/tasks/$id" params={{ id: 'new' }}>
      <Icon name="plus" />
      {t('add')}
    </Link>
  )
  return (
    <AgentsFrame title={t('agents:tab.tasks')} action={add}>
      <QueryView query={tasks} lines={5}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon="events" title={t('none')} action={add}>
              {t('noneAbout')}
            </EmptyState>
          ) : (
            <TaskTable tasks={list} onRun={setStarted} onDelete={setDoomed} />
          )
        }
      </QueryView>
      {started && <RunDialog task={started} onClose={() => setStarted(undefined)} />}
      {doomed && (
        <DeleteDialog
          title={t('deleteNamed', { name: doomed.name })}
          action={t('delete')}
          done={t('deleted', { name: doomed.name })}
          remove={() => deleteTask(doomed.id)}
          onClose={() => setDoomed(undefined)}
        >
          {t('deleteAbout')}
        </DeleteDialog>
      )}
    </AgentsFrame>
  )
}

interface Actions {
  readonly onRun: (task: Task) => void
  readonly onDelete: (task: Task) => void
}

function TaskTable({ tasks, ...actions }: { readonly tasks: readonly Task[] } & Actions) {
  const { t } = useTranslation('tasks')
  return (
    <table className={`table stacked ${styles.tasks}`}>
      <thead>
        <tr>
          <th scope="col">{t('name')}</th>
          <th scope="col">{t('model')}</th>
          <th scope="col">{t('schedule')}</th>
          <th scope="col">{t('nextRun')}</th>
          <th scope="col">{t('enabled')}</th>
          <th scope="col">
            <span className="visuallyHidden">{t('actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {tasks.map((task) => (
          <TaskRow key={task.id} task={task} {...actions} />
        ))}
      </tbody>
    </table>
  )
}

function TaskRow({ task, onRun, onDelete }: { readonly task: Task } & Actions) {
  const { t } = useTranslation('tasks')
  const navigate = useNavigate()
  const isOffline = useConnection().state === 'offline'
  const { id, name, model, enabled, cron = '', cron_timezone: zone } = task
  const toggle = useMutation({
    mutationFn: (isOn: boolean) => updateTask(id, { ...toDraft(toForm(task)), enabled: isOn }),
    onError: (error) => notify('error', error.message),
  })
  return (
    <tr>
      <td className="mainCell">
        <Link className="mainLink medium clip" to="/app/agents/tasks/$id" params={{ id }}>
          {name}
        </Link>
        {task.description !== '' && <p className="meta clip">{task.description}</p>}
      </td>
      <td className="minorCell clip">{model}</td>
      <td className="minorCell">
        {cron === '' ? <span className="faint">{t('noSchedule')}</span> : <code title={zone}>{cron}</code>}
      </td>
      <td className="minorCell">
        {enabled && task.next_run_at !== undefined && (
          <>
            <span className="stackedOnly">{t('nextRun')} </span>
            <RelativeTime time={task.next_run_at} />
          </>
        )}
      </td>
      <td className="minorCell">
        <Switch
          label={<span className="visuallyHidden">{t('enabledNamed', { name })}</span>}
          checked={toggle.isPending ? toggle.variables : enabled}
          disabled={isOffline}
          onChange={({ target }) => toggle.mutate(target.checked)}
        />
      </td>
      <td className="endCell number">
        <span className={`row ${styles.actions}`}>
          <Button
            small
            disabled={isOffline || !enabled}
            aria-label={t('runNamed', { name })}
            onClick={() => onRun(task)}
          >
            {t('run')}
          </Button>
          <RowMenu
            label={t('actionsNamed', { name })}
            entries={[
              {
                id: 'edit',
                text: t('edit'),
                icon: 'edit',
                onSelect: () => void navigate({ to: '/app/agents/tasks/$id', params: { id } }),
              },
              {
                id: 'history',
                text: t('history'),
                icon: 'traces',
                onSelect: () => void navigate({ to: '/app/agents/jobs', search: { task: id } }),
              },
              {
                id: 'delete',
                text: t('delete'),
                icon: 'trash',
                isDangerous: true,
                isDisabled: isOffline,
                separator: true,
                onSelect: () => onDelete(task),
              },
            ]}
          />
        </span>
      </td>
    </tr>
  )
}
