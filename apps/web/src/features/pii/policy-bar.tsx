import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Checkbox, SelectFilter } from '../../components/ui/field.tsx'
import { Segmented } from '../../components/ui/segmented.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { middlewareQuery } from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'
import { filterModelsQuery } from './api.ts'
import * as styles from './pii.module.css'

const route = getRouteApi('/app/pii')

/** Choice of the filter: a model's filter, or chosen detectors. */
export function PolicyBar({
  reveal,
  onReveal,
  missing,
  isRunning,
  isOffline,
  onRun,
}: {
  readonly reveal: boolean
  readonly onReveal: (reveal: boolean) => void
  /** The choice that is still missing. */
  readonly missing: string | undefined
  readonly isRunning: boolean
  readonly isOffline: boolean
  readonly onRun: () => void
}) {
  const { t } = useTranslation('pii')
  const { source } = route.useSearch()
  const navigate = route.useNavigate()
  const { isAdmin } = useSession().viewer
  return (
    <div className={styles.options}>
      <Segmented
        small
        label={t('source')}
        value={source}
        options={[
          ['model', t('modelPolicy')],
          ['detectors', t('detectors')],
        ]}
        onChange={(value) => void navigate({ search: (old) => ({ ...old, source: value }), replace: true })}
      />
      {source === 'model' ? <ModelChoice /> : <DetectorChoice />}
      <span className="row push wrap">
        {isAdmin && (
          <Checkbox label={t('reveal')} checked={reveal} onChange={({ target }) => onReveal(target.checked)} />
        )}
        <span className="meta" id="pii-missing">
          {missing}
        </span>
        <Button
          kind="primary"
          busy={isRunning}
          disabled={missing !== undefined || isOffline}
          aria-describedby="pii-missing"
          onClick={onRun}
        >
          {t('run')}
          <kbd className="notOnPhone">Ctrl Enter</kbd>
        </Button>
      </span>
    </div>
  )
}

/** Offers of the choices: admins see every filter, other viewers the models that they may use. */
function useChoices() {
  const { isAdmin } = useSession().viewer
  const policies = useQuery({ ...middlewareQuery, enabled: isAdmin })
  const names = useQuery({ ...filterModelsQuery, enabled: !isAdmin })
  const pii = policies.data?.pii
  return {
    error: policies.error ?? names.error,
    models: pii?.models.filter(({ enabled }) => enabled).map(({ name }) => name) ?? names.data?.models,
    detectors:
      pii?.detector_models.filter(({ missing }) => missing !== true).map(({ name }) => name) ?? names.data?.detectors,
    policies: pii?.models,
  }
}

function ModelChoice() {
  const { t } = useTranslation('pii')
  const { model = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const { models, policies, error } = useChoices()
  if (error !== null && models === undefined) return <ErrorBlock error={error} />
  if (models?.length === 0) return <span className="meta">{t('noFilteredModel')}</span>
  const names = [...new Set([...(models ?? []), ...(model === '' ? [] : [model])])]
  const used = policies?.find(({ name }) => name === model)?.detectors ?? []
  return (
    <>
      <SelectFilter
        label={t('model')}
        value={model}
        options={[['', t('chooseModel')], ...names.map((name) => [name, name] as const)]}
        onChange={({ target }) => {
          const { value } = target
          void navigate({
            search: ({ model: _, ...old }) => (value === '' ? old : { ...old, model: value }),
            replace: true,
          })
        }}
      />
      {used.length > 0 && <span className="meta notOnPhone">{t('uses', { detectors: used.join(', ') })}</span>}
    </>
  )
}

function DetectorChoice() {
  const { t } = useTranslation('pii')
  const { detectors: chosen = [] } = route.useSearch()
  const navigate = route.useNavigate()
  const { detectors, error } = useChoices()
  if (error !== null && detectors === undefined) return <ErrorBlock error={error} />
  const names = [...new Set([...(detectors ?? []), ...chosen])]
  if (detectors !== undefined && names.length === 0) return <span className="meta">{t('noDetector')}</span>
  return (
    <fieldset className={styles.detectors} aria-label={t('detectors')}>
      {names.map((name) => (
        <Checkbox
          key={name}
          label={name}
          checked={chosen.includes(name)}
          onChange={({ target }) => {
            const rest = chosen.filter((other) => other !== name)
            const next = target.checked ? [...rest, name] : rest
            void navigate({ search: (old) => ({ ...old, detectors: next }), replace: true })
          }}
        />
      ))}
    </fieldset>
  )
}
