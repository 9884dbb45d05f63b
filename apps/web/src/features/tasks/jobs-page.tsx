import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { AgentsFrame } from '../../components/agents/agents-frame.tsx'
import { SelectFilter } from '../../components/ui/field.tsx'
import { Filters } from '../../components/ui/filters.tsx'
import { EmptyState, NoMatch, QueryView } from '../../components/ui/states.tsx'
import { formatNumber } from '../../lib/format.ts'
import { jobsQuery, SHOWN_JOBS, tasksQuery } from './api.ts'
import { JobTable } from './job-table.tsx'
import { JOB_STATES, type JobsSearch } from './search.ts'

const route = getRouteApi('/app/agents/jobs')

/** Runs of tasks and of agents. */
export function JobsPage() {
  const { t } = useTranslation('tasks')
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const jobs = useQuery(jobsQuery(search))
  const tasks = useQuery(tasksQuery).data ?? []
  const names = new Map(tasks.map(({ id, name }) => [id, name]))
  const change = (changes: JobsSearch) => void navigate({ search: { ...search, ...changes }, replace: true })
  const { status, task } = search
  const isFiltered = status !== undefined || task !== undefined
  return (
    <AgentsFrame title={t('agents:tab.jobs')}>
      <div className="row wrap">
        <Filters values={[status, task]}>
          <SelectFilter
            label={t('state')}
            value={status ?? ''}
            options={[
              ['', t('everyState')],
              ...JOB_STATES.map((state) => [state, t(`agents:job.state.${state}`)] as const),
            ]}
            onChange={({ target }) => change({ status: JOB_STATES.find((state) => state === target.value) })}
          />
          <SelectFilter
            label={t('task')}
            value={task ?? ''}
            options={[['', t('everyTask')], ...tasks.map(({ id, name }) => [id, name] as const)]}
            onChange={({ target }) => change({ task: target.value || undefined })}
          />
        </Filters>
      </div>
      <QueryView query={jobs} lines={8}>
        {(list) => {
          if (list.length > 0)
            return (
              <>
                <JobTable jobs={list} names={names} />
                {list.length === SHOWN_JOBS && (
                  <p className="meta">{t('shownJobs', { shown: formatNumber(SHOWN_JOBS) })}</p>
                )}
              </>
            )
          return isFiltered ? (
            <NoMatch onClear={() => change({ status: undefined, task: undefined })} />
          ) : (
            <EmptyState icon="traces" title={t('noJobs')}>
              {t('noJobsAbout')}
            </EmptyState>
          )
        }}
      </QueryView>
    </AgentsFrame>
  )
}
