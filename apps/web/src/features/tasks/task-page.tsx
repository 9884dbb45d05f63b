import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { PageHead } from '../../components/ui/page-head.tsx'
import { QueryView } from '../../components/ui/states.tsx'
import { useConnection } from '../../lib/connection.ts'
import { jobsQuery, type Task, taskQuery } from './api.ts'
import { JobTable } from './job-table.tsx'
import { RunDialog } from './run-dialog.tsx'
import { TaskEditor } from './task-editor.tsx'
import * as styles from './tasks.module.css'

const route = getRouteApi('/app/agents/tasks/$id')

/** A task that is new, or that is there already. */
export function TaskPage() {
  const { id } = route.useParams()
  return id === 'new' ? <NewTask /> : <KnownTask key={id} id={id} />
}

function NewTask() {
  const { t } = useTranslation('tasks')
  return (
    <>
      <PageHead title={t('add')} />
      <div className={`page ${styles.page}`}>
        <TaskEditor />
      </div>
    </>
  )
}

function KnownTask({ id }: { readonly id: string }) {
  const { t } = useTranslation('tasks')
  const task = useQuery(taskQuery(id))
  const [started, setStarted] = useState<Task>()
  const isOffline = useConnection().state === 'offline'
  const { data } = task
  return (
    <>
      <PageHead title={data?.name ?? t('task')}>
        {data !== undefined && (
          <Button
            className="push"
            disabled={isOffline || !data.enabled}
            title={data.enabled ? undefined : t('runOff')}
            onClick={() => setStarted(data)}
          >
            {t('run')}
          </Button>
        )}
      </PageHead>
      <div className={`page ${styles.page}`}>
        <QueryView query={task} lines={8}>
          {(known) => (
            <>
              <TaskEditor key={known.updated_at} task={known} />
              <History task={known} />
            </>
          )}
        </QueryView>
      </div>
      {started && <RunDialog task={started} onClose={() => setStarted(undefined)} />}
    </>
  )
}

const SHOWN_IN_TASK = 10

function History({ task }: { readonly task: Task }) {
  const { t } = useTranslation('tasks')
  const jobs = useQuery(jobsQuery({ task: task.id }))
  return (
    <section className="card" aria-labelledby="task-history">
      <header>
        <h2 id="task-history">{t('history')}</h2>
        <Link className="push" to="/app/agents/jobs" search={{ task: task.id }}>
          {t('allJobs')}
        </Link>
      </header>
      <QueryView query={jobs} lines={3}>
        {(list) =>
          list.length === 0 ? (
            <p className="cardBody muted">{t('neverRun')}</p>
          ) : (
            <JobTable jobs={list.slice(0, SHOWN_IN_TASK)} names={new Map([[task.id, task.name]])} />
          )
        }
      </QueryView>
    </section>
  )
}
