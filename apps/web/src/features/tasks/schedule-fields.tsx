import { useId, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { SelectField, TextField } from '../../components/ui/field.tsx'
import type { TaskForm } from './form-values.ts'
import { ParameterFields } from './parameter-fields.tsx'
import { listParameters } from './parameters.ts'
import { findRuns, formatRun } from './schedule.ts'
import * as styles from './tasks.module.css'

const EXAMPLES = ['0 * * * *', '0 9 * * *', '0 9 * * 1-5', '0 9 * * 1', '0 9 1 * *']

/** When a task runs by itself: the pattern, its time zone, the coming runs, and the parameters of these runs. */
export function ScheduleFields({
  form,
  onChange,
}: {
  readonly form: TaskForm
  readonly onChange: (changes: Partial<TaskForm>) => void
}) {
  const { t } = useTranslation('tasks')
  const list = useId()
  const { cron, zone, missed } = form
  const zones = useMemo(() => ['UTC', ...Intl.supportedValuesOf('timeZone')], [])
  const hasSchedule = cron.trim() !== ''
  const found = hasSchedule ? findRuns(cron, zone) : { runs: [] }
  const problem = 'problem' in found ? found.problem : undefined
  return (
    <fieldset className={styles.part}>
      <legend>{t('schedule')}</legend>
      <div className={styles.pattern}>
        <TextField
          label={t('cron')}
          hint={t('cronHint')}
          error={problem === 'pattern' || problem === 'never' ? t(`problem.${problem}`) : undefined}
          list={`${list}-patterns`}
          spellCheck={false}
          autoComplete="off"
          maxLength={200}
          value={cron}
          onChange={({ target }) => onChange({ cron: target.value })}
        />
      </div>
      <datalist id={`${list}-patterns`}>
        {EXAMPLES.map((pattern) => (
          <option key={pattern} value={pattern} />
        ))}
      </datalist>
      <TextField
        label={t('zone')}
        error={problem === 'zone' ? t('problem.zone') : undefined}
        list={`${list}-zones`}
        spellCheck={false}
        autoComplete="off"
        maxLength={100}
        value={zone}
        onChange={({ target }) => onChange({ zone: target.value })}
      />
      <datalist id={`${list}-zones`}>
        {zones.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {hasSchedule && (
        <>
          <div className={styles.wide} aria-live="polite">
            {'runs' in found && (
              <>
                <p className="medium">{t('comingRuns')}</p>
                <ol className={styles.runs}>
                  {found.runs.map((run) => (
                    <li key={run.getTime()}>{formatRun(run, zone)}</li>
                  ))}
                </ol>
              </>
            )}
          </div>
          <SelectField
            label={t('missed')}
            options={[
              ['skip', t('missedSkip')],
              ['once', t('missedOnce')],
            ]}
            value={missed}
            onChange={({ target }) => onChange({ missed: target.value === 'once' ? 'once' : 'skip' })}
          />
          <ParameterFields
            names={listParameters(form.prompt)}
            values={form.parameters}
            onChange={(parameters) => onChange({ parameters })}
          />
        </>
      )}
    </fieldset>
  )
}
