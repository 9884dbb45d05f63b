import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { SelectFilter } from '../../components/ui/field.tsx'
import { Filters } from '../../components/ui/filters.tsx'
import { Segmented } from '../../components/ui/segmented.tsx'
import { TermField } from '../../components/ui/term-field.tsx'
import { createFileStamp, saveFile } from '../../lib/download.ts'
import type { UsageRow } from './api.ts'
import { toTable, writeCsv } from './export.ts'
import { chooseMetric, listChoices, listCurrencies, type UsageGroup } from './group-usage.ts'
import { GROUPS, METRICS, type UsageSearch } from './search.ts'
import * as styles from './usage.module.css'
import { useGroupName } from './use-group-name.ts'

/** Group, metric, account, key, and the files of the shown usage. */
export function UsageFilters({
  rows,
  groups,
  search,
  isAll,
  onChange,
}: {
  readonly rows: readonly UsageRow[]
  readonly groups: readonly UsageGroup[]
  readonly search: UsageSearch
  readonly isAll: boolean
  readonly onChange: (changes: UsageSearch) => void
}) {
  const { t } = useTranslation('usage')
  const { period = 'month', group = 'model', user, key, tag, endUser } = search
  const metric = chooseMetric(rows, search.metric ?? 'tokens')
  const metrics = METRICS.filter((one) => one !== 'cost' || listCurrencies(rows).length === 1)
  const toName = useGroupName(group)
  const users = listChoices(rows, (row) => [row.user_id, row.user_name])
  const keys = listChoices(rows, (row) => [row.api_key_id, row.api_key_name])
  const choices = (known: readonly (readonly [string, string])[], chosen: string | undefined, any: string) => [
    ['', any] as const,
    ...known,
    ...(chosen === undefined || known.some(([id]) => id === chosen) ? [] : [[chosen, chosen] as const]),
  ]
  const name = `usage-${period}-${createFileStamp()}`
  const saveCsv = () =>
    saveFile(`${name}.csv`, writeCsv(toTable(groups, { group: t(`group.${group}`), toName })), 'text/csv')
  const saveJson = () => {
    const shown = groups.map(({ byBucket, costs, ...one }) => ({
      ...one,
      costs: Object.fromEntries(costs),
      name: toName(one),
      buckets: Object.fromEntries(byBucket),
    }))
    saveFile(`${name}.json`, JSON.stringify({ period, group, metric, groups: shown }, null, 2), 'application/json')
  }
  const groupsShown = isAll ? GROUPS : GROUPS.filter((one) => one !== 'user')
  return (
    <search className={`row wrap ${styles.filters}`} aria-label={t('filter.label')}>
      <Filters values={[search.group, search.metric, user, key, tag, endUser]}>
        <Segmented
          small
          label={t('filter.group')}
          value={group}
          options={groupsShown.map((one) => [one, t(`group.${one}`)] as const)}
          onChange={(one) =>
            onChange({
              group: one === 'model' ? undefined : one,
              // sums are of one tag, or of end users
              ...(one === 'endUser' ? { tag: undefined } : one === 'tag' ? { endUser: undefined } : {}),
              ...(one === 'endUser' || one === 'tag' ? { user: undefined, key: undefined } : {}),
            })
          }
        />
        <Segmented
          small
          label={t('filter.metric')}
          value={metric}
          options={metrics.map((one) => [one, t(`metric.${one}`)] as const)}
          onChange={(one) => onChange({ metric: one === 'tokens' ? undefined : one })}
        />
        {isAll && (users.length > 1 || user !== undefined) && (
          <SelectFilter
            label={t('filter.user')}
            value={user ?? ''}
            options={choices(users, user, t('filter.anyUser'))}
            onChange={({ target }) => onChange({ user: target.value || undefined })}
          />
        )}
        {(keys.length > 0 || key !== undefined) && (
          <SelectFilter
            label={t('filter.key')}
            value={key ?? ''}
            options={choices(keys, key, t('filter.anyKey'))}
            onChange={({ target }) => onChange({ key: target.value || undefined })}
          />
        )}
        {group !== 'endUser' && (
          <TermField
            label={t('filter.tag')}
            value={tag ?? ''}
            onChange={(text) => onChange({ tag: text || undefined, endUser: undefined })}
          />
        )}
        {group !== 'tag' && (
          <TermField
            label={t('filter.endUser')}
            value={endUser ?? ''}
            onChange={(text) => onChange({ endUser: text || undefined, tag: undefined })}
          />
        )}
      </Filters>
      <span className="row push">
        <Button small kind="ghost" icon="file" onClick={saveCsv}>
          {t('export.csv')}
        </Button>
        <Button small kind="ghost" icon="code" onClick={saveJson}>
          {t('export.json')}
        </Button>
      </span>
    </search>
  )
}
