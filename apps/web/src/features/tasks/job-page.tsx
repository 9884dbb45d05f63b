import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { DeleteDialog } from '../../components/agents/delete-dialog.tsx'
import { JobState } from '../../components/agents/job-state.tsx'
import { AgentText, JobSteps } from '../../components/agents/job-steps.tsx'
import { Button } from '../../components/ui/button.tsx'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { PageHead } from '../../components/ui/page-head.tsx'
import { ErrorBlock, QueryView } from '../../components/ui/states.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { useConnection } from '../../lib/connection.ts'
import { cancelJob, deleteJob, isLive, type Job, jobQuery, tasksQuery } from './api.ts'
import { formatTaken, readTitle } from './job-table.tsx'
import * as styles from './tasks.module.css'

const route = getRouteApi('/app/agents/jobs/$id')

/** A job: its state, its result and its steps, which follow it while it runs. */
export function JobPage() {
  const { t } = useTranslation('tasks')
  const { id } = route.useParams()
  const job = useQuery(jobQuery(id))
  const tasks = useQuery(tasksQuery).data ?? []
  const names = new Map(tasks.map((task) => [task.id, task.name]))
  const { data } = job
  const title = (data && readTitle(data, names)) || t('job')
  return (
    <>
      <PageHead title={title}>{data && <JobActions job={data} />}</PageHead>
      <div className={`page ${styles.page}`}>
        <QueryView query={job} lines={8}>
          {(known) => (
            <>
              <Facts job={known} name={readTitle(known, names)} />
              <Outcome job={known} />
              <Prompt job={known} />
              <Steps job={known} />
            </>
          )}
        </QueryView>
      </div>
    </>
  )
}

function JobActions({ job }: { readonly job: Job }) {
  const { t } = useTranslation('tasks')
  const navigate = useNavigate()
  const isOffline = useConnection().state === 'offline'
  const [isDeleting, setDeleting] = useState(false)
  const cancel = useMutation({ mutationFn: () => cancelJob(job.id) })
  return (
    <div className="row push">
      {cancel.isError && <ErrorBlock error={cancel.error} />}
      {isLive(job) ? (
        <Button icon="stop" busy={cancel.isPending} disabled={isOffline} onClick={() => cancel.mutate()}>
          {t('cancelJob')}
        </Button>
      ) : (
        <Button icon="trash" disabled={isOffline} onClick={() => setDeleting(true)}>
          {t('delete')}
        </Button>
      )}
      {isDeleting && (
        <DeleteDialog
          title={t('deleteJob')}
          action={t('delete')}
          done={t('jobDeleted')}
          remove={() => deleteJob(job.id)}
          onDone={() => void navigate({ to: '/app/agents/jobs', replace: true })}
          onClose={() => setDeleting(false)}
        >
          {t('deleteJobAbout')}
        </DeleteDialog>
      )}
    </div>
  )
}

function Facts({ job, name }: { readonly job: Job; readonly name: string }) {
  const { t } = useTranslation('tasks')
  const taken = formatTaken(job)
  return (
    <dl className="facts">
      <dt>{t('state')}</dt>
      <dd aria-live="polite">
        <JobState status={job.status} />
      </dd>
      {job.task_id !== '' && (
        <>
          <dt>{t('task')}</dt>
          <dd>
            {name === '' ? (
              t('deletedTask')
            ) : (
              <Link to="/app/agents/tasks/$id" params={{ id: job.task_id }}>
                {name}
              </Link>
            )}
          </dd>
        </>
      )}
      <dt>{t('model')}</dt>
      <dd>{job.model}</dd>
      <dt>{t('startedBy')}</dt>
      <dd>{t(`trigger.${job.triggered_by}`)}</dd>
      <dt>{t('created')}</dt>
      <dd>
        <RelativeTime time={job.created_at} />
      </dd>
      {taken !== '' && (
        <>
          <dt>{t('took')}</dt>
          <dd>{taken}</dd>
        </>
      )}
    </dl>
  )
}

function Outcome({ job }: { readonly job: Job }) {
  const { t } = useTranslation('tasks')
  return (
    <>
      {job.error !== undefined && job.error !== '' && (
        <Notice tone={job.status === 'cancelled' ? 'warn' : 'bad'}>{job.error}</Notice>
      )}
      {job.result !== undefined && (
        <section className="card" aria-labelledby="job-result">
          <header>
            <h2 id="job-result">{t('result')}</h2>
            <span className="push">
              <CopyButton text={job.result} label={t('copyResult')} />
            </span>
          </header>
          <div className={`cardBody ${styles.result}`}>
            {job.result === '' ? <p className="muted">{t('emptyResult')}</p> : <AgentText text={job.result} />}
          </div>
        </section>
      )}
    </>
  )
}

function Prompt({ job }: { readonly job: Job }) {
  const { t } = useTranslation('tasks')
  return (
    <details>
      <summary>{t('prompt')}</summary>
      <p className={styles.prompt}>{job.prompt}</p>
    </details>
  )
}

function Steps({ job }: { readonly job: Job }) {
  const { t } = useTranslation('tasks')
  const steps = job.traces ?? []
  return (
    <section className="card" aria-labelledby="job-steps">
      <header>
        <h2 id="job-steps">{t('steps')}</h2>
      </header>
      <div className="cardBody stack">
        {steps.length === 0 ? (
          <p className="muted">{isLive(job) ? t('noStepsYet') : t('noSteps')}</p>
        ) : (
          <JobSteps label={t('steps')} steps={steps} />
        )}
      </div>
    </section>
  )
}
