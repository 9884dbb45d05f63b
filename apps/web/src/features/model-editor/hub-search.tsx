import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { TextField } from '../../components/ui/field.tsx'
import { QueryView } from '../../components/ui/states.tsx'
import { useConnection } from '../../lib/connection.ts'
import { formatNumber } from '../../lib/format.ts'
import { hubQuery } from './import-api.ts'
import * as styles from './model-editor.module.css'

/** Finds repositories at the model hub by words. The server asks the hub, and only when the button is pressed. */
export function HubSearch({ onChoose }: { readonly onChoose: (uri: string) => void }) {
  const { t } = useTranslation('model-editor')
  const isOffline = useConnection().state === 'offline'
  const [typed, setTyped] = useState('')
  const [asked, setAsked] = useState('')
  const found = useQuery({ ...hubQuery(asked), enabled: asked !== '' })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setAsked(typed.trim())
  }
  return (
    <section className="stack" aria-label={t('hub.title')}>
      <form className={`row ${styles.hubSearch}`} onSubmit={submit}>
        <div className="grow">
          <TextField
            label={t('hub.title')}
            hint={t('hub.about')}
            type="search"
            maxLength={200}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </div>
        <Button type="submit" icon="search" busy={found.isFetching} disabled={isOffline || typed.trim() === ''}>
          {t('hub.search')}
        </Button>
      </form>
      {asked !== '' && (
        <QueryView query={found} lines={4}>
          {(repositories) =>
            repositories.length === 0 ? (
              <p>{t('hub.none')}</p>
            ) : (
              <ul className={styles.hubFound}>
                {repositories.map(({ id, task, downloads, uri }) => (
                  <li key={id} className="row">
                    <span className="grow">
                      <span className={`medium ${styles.breakable}`}>{id}</span>
                      <span className="meta">
                        {' '}
                        {[task, t('hub.downloads', { count: downloads, shown: formatNumber(downloads) })]
                          .filter(Boolean)
                          .join(' · ')}
                      </span>
                    </span>
                    <Button small aria-label={t('hub.chooseNamed', { name: id })} onClick={() => onChoose(uri)}>
                      {t('hub.choose')}
                    </Button>
                  </li>
                ))}
              </ul>
            )
          }
        </QueryView>
      )}
    </section>
  )
}
