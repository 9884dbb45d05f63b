import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Checkbox } from '../../components/ui/field.tsx'
import { QueryView } from '../../components/ui/states.tsx'
import * as styles from './agents.module.css'
import { storesQuery } from './api.ts'

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
        {(list) => {
          const gone = stores.filter((id) => !list.some((store) => store.id === id))
          const rows = [
            ...list.map(({ id, name }) => ({ id, name: name || id })),
            ...gone.map((id) => ({ id, name: id })),
          ]
          if (rows.length === 0) return <p className={`muted ${styles.wide}`}>{t('noStores')}</p>
          return (
            <div className={`${styles.stores} ${styles.wide}`}>
              {rows.map(({ id, name }) => (
                <Checkbox
                  key={id}
                  label={name}
                  checked={stores.includes(id)}
                  onChange={({ target }) =>
                    onChange(target.checked ? [...stores, id] : stores.filter((each) => each !== id))
                  }
                />
              ))}
            </div>
          )
        }}
      </QueryView>
    </fieldset>
  )
}
