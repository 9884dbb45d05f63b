import { useTranslation } from 'react-i18next'
import type { UsageGroup } from './group-usage.ts'
import type { Group } from './search.ts'

/** Gives the name of a group as a reader knows it. */
export function useGroupName(group: Group): (one: Pick<UsageGroup, 'id' | 'name'>) => string {
  const { t } = useTranslation('usage')
  return ({ id, name }) => {
    if (group === 'source') return t(`source.${id}`, { defaultValue: id })
    if (group === 'key' && id === '') return t('noKey')
    if ((group === 'tag' || group === 'endUser') && id === '(other)') return t('otherValues')
    return name || t('unnamed')
  }
}
