import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { SelectField, TextField } from '../../components/ui/field.tsx'
import { EmptyState, ErrorBlock, Skeleton } from '../../components/ui/states.tsx'
import { Badge } from '../../components/ui/status.tsx'
import { useConnection } from '../../lib/connection.ts'
import { formatNumber } from '../../lib/format.ts'
import { searchCollection } from './api.ts'
import * as styles from './collections.module.css'

const COUNTS = [3, 5, 10, 20, 50] as const

/** Tries what an agent would find for a text. */
export function SearchView({ name }: { readonly name: string }) {
  const { t } = useTranslation('collections')
  const isOffline = useConnection().state === 'offline'
  const [text, setText] = useState('')
  const [most, setMost] = useState(5)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const search = useMutation({
    mutationFn() {
      running.current?.abort()
      running.current = new AbortController()
      return searchCollection(name, text.trim(), most, running.current.signal)
    },
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') search.mutate()
  }
  return (
    <>
      <form className={styles.search} onSubmit={onSubmit}>
        <TextField
          label={t('searchText')}
          data-page-search
          required
          autoComplete="off"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <SelectField
          label={t('most')}
          options={COUNTS.map((count) => [String(count), formatNumber(count)] as const)}
          value={String(most)}
          onChange={({ target }) => setMost(Number(target.value))}
        />
        <Button type="submit" kind="primary" busy={search.isPending} disabled={isOffline}>
          {t('find')}
        </Button>
      </form>
      {search.isPending && <Skeleton lines={3} height={72} />}
      {search.isError && <ErrorBlock error={search.error} onRetry={() => search.mutate()} />}
      {search.data?.length === 0 && (
        <EmptyState icon="search" title={t('nothingFound')}>
          {t('nothingFoundAbout')}
        </EmptyState>
      )}
      {search.data !== undefined && search.data.length > 0 && (
        <ol className={styles.hits} aria-label={t('found')}>
          {search.data.map(({ id, content, similarity, metadata }) => (
            <li key={id} className="card">
              <header>
                <span className="medium clip">{String(metadata.entry ?? metadata.source ?? '')}</span>
                <span className="push">
                  <Badge>{t('similarity', { value: formatNumber(similarity, 3) })}</Badge>
                </span>
              </header>
              <p className={`cardBody ${styles.hit}`}>{content}</p>
            </li>
          ))}
        </ol>
      )}
    </>
  )
}
