import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { QueryView } from '../../components/ui/states.tsx'
import * as styles from './agents.module.css'
import { storesQuery } from './api.ts'
import { ChoiceList } from './choice-list.tsx'

/** The collections and vector stores in which an agent searches. */
export function StoreFields({
  stores,
  onChange,
}: {
  readonly stores: readonly string[]
  readonly onChange: (stores: readonly string[]) => void
}) {
  const { t } = useTranslation('agents')
  const known = useQuery(storesQuery)
  return (
    <fieldset className={styles.part}>
      <legend>{t('stores')}</legend>
      <QueryView query={known} lines={2}>
        {(list) => (
          <ChoiceList
            choices={list.map(({ id, name }) => ({ id, name: name || id }))}
            chosen={stores}
            none={t('noStores')}
            onChange={onChange}
          />
        )}
      </QueryView>
    </fieldset>
  )
}
