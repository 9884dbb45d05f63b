import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { JobState } from '../../components/agents/job-state.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { formatDuration } from '../../lib/format.ts'
import type { Job } from './api.ts'
import * as styles from './tasks.module.css'

/** Jobs, the newest first. @param names names of tasks by their ids */
export function JobTable({
  jobs,
  names,
}: {
  readonly jobs: readonly Job[]
  readonly names: ReadonlyMap<string, string>
}) {
  const { t } = useTranslation('tasks')
  return (
    <table className={`table stacked ${styles.jobs}`}>
      <thead>
        <tr>
          <th scope="col">{t('job')}</th>
          <th scope="col">{t('state')}</th>
          <th scope="col">{t('startedBy')}</th>
          <th scope="col">{t('created')}</th>
          <th scope="col" className="number">
            {t('took')}
          </th>
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => (
          <tr key={job.id}>
            <td className="mainCell">
              <Link className="mainLink medium clip" to="/app/agents/jobs/$id" params={{ id: job.id }}>
                {readTitle(job, names) || t('deletedTask')}
              </Link>
              <p className="meta clip">{job.error ?? job.prompt}</p>
            </td>
            <td className="minorCell">
              <JobState status={job.status} />
            </td>
            <td className="minorCell">{t(`trigger.${job.triggered_by}`)}</td>
            <td className="minorCell">
              <RelativeTime time={job.created_at} />
            </td>
            <td className="minorCell number">{formatTaken(job)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The name of the task or the agent of a job; empty for a task that is gone. */
export function readTitle({ agent, task_id: id }: Job, names: ReadonlyMap<string, string>): string {
  return agent ?? names.get(id) ?? ''
}

/** The time that a job took; empty before its end. */
export function formatTaken({ started_at: start, completed_at: end }: Job): string {
  return start === undefined || end === undefined ? '' : formatDuration(Date.parse(end) - Date.parse(start))
}
