import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { SelectFilter } from '../../components/ui/field.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useConnection } from '../../lib/connection.ts'
import { formatDuration } from '../../lib/format.ts'
import { modelNamesQuery } from '../../lib/server-state.ts'
import { LoadError, loadModel } from './api.ts'
import * as styles from './monitor.module.css'

/** Loads a model that is not loaded. The button shows how long it has taken. */
export function LoadModel({ loaded }: { readonly loaded: readonly string[] }) {
  const { t } = useTranslation('monitor')
  const { state } = useConnection()
  const names = useQuery(modelNamesQuery).data ?? []
  const free = names.filter((name) => !loaded.includes(name))
  const [chosen, setChosen] = useState('')
  const load = useMutation({
    mutationFn: loadModel,
    onSuccess: (models) => {
      notify('success', t('load.done', { models: models.join(', ') }))
      setChosen('')
    },
  })
  const seconds = useSeconds(load.isPending)
  if (free.length === 0 && !load.isPending && !load.isError) return null
  const parts = load.error instanceof LoadError ? load.error.loaded : []
  return (
    <>
      <div className="row push">
        <SelectFilter
          label={t('load.choose')}
          value={chosen}
          disabled={load.isPending}
          options={[['', t('load.choose')], ...free.map((name) => [name, name] as const)]}
          onChange={({ target }) => setChosen(target.value)}
        />
        <Button
          busy={load.isPending}
          disabled={chosen === '' || state === 'offline'}
          onClick={() => load.mutate(chosen)}
        >
          {load.isPending ? t('load.busy', { time: formatDuration(seconds * 1000) }) : t('load.button')}
        </Button>
      </div>
      {load.isError && (
        <div className={styles.loadError}>
          <ErrorBlock error={load.error} />
          <p className="meta">
            {parts.length === 0 ? t('load.nothing') : t('load.parts', { models: parts.join(', ') })}
          </p>
        </div>
      )}
    </>
  )
}

/** Seconds since something began. */
function useSeconds(isRunning: boolean): number {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    if (!isRunning) return undefined
    setSeconds(0)
    const timer = setInterval(() => setSeconds((before) => before + 1), 1000)
    return () => clearInterval(timer)
  }, [isRunning])
  return seconds
}
