import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyModelButton } from '../../components/models/copy-model.tsx'
import { InstallProgress } from '../../components/operations/install-button.tsx'
import { RemoveDialog } from '../../components/operations/remove-dialog.tsx'
import { Button, buttonClass, IconButton } from '../../components/ui/button.tsx'
import { Switch } from '../../components/ui/field.tsx'
import * as listDetailStyles from '../../components/ui/list-detail.module.css'
import { Notice } from '../../components/ui/notice.tsx'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'
import { EmptyState, ErrorBlock, Skeleton } from '../../components/ui/states.tsx'
import { Badge, LetterTile } from '../../components/ui/status.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { useCapabilities } from '../../lib/capabilities.ts'
import { useConnection } from '../../lib/connection.ts'
import { formatBytes } from '../../lib/format.ts'
import { findActiveOperation } from '../../lib/operations/operation.ts'
import { operationsQuery } from '../../lib/operations/operation-queries.ts'
import type { InstalledModel, LoadedModel, LoadFailure } from '../../lib/server-state.ts'
import { defaultModelQuery } from './api.ts'
import { useDefaultModel, useLoading, useToggle } from './changes.ts'
import { continuesText, listUses } from './filter-installed.ts'
import { ModelFacts } from './model-facts.tsx'

const LoadProgress = lazy(async () => ({
  default: (await import('../../components/workers/load-progress.tsx')).LoadProgress,
}))
const RunsOn = lazy(async () => ({ default: (await import('../../components/workers/runs-on.tsx')).RunsOn }))
const ToolsSection = lazy(async () => ({ default: (await import('./tools-section.tsx')).ToolsSection }))

/** The details of a model that is here. */
export function InstalledDetail({
  name,
  model,
  loaded,
  failure,
  isKnown,
  onClose,
}: {
  readonly name: string | undefined
  readonly model: InstalledModel | undefined
  readonly loaded: LoadedModel | undefined
  /** The last load of the model, where it failed. */
  readonly failure: LoadFailure | undefined
  /** Whether the list of models is there. */
  readonly isKnown: boolean
  readonly onClose: () => void
}) {
  const { t } = useTranslation('models')
  return (
    <ScrollRegion className={listDetailStyles.detail} aria-label={t('details')}>
      {model !== undefined ? (
        <Detail key={model.id} {...{ model, loaded, failure, onClose }} />
      ) : name === undefined ? (
        <EmptyState icon="cube" title={t('chooseModel')} />
      ) : isKnown ? (
        <EmptyState title={t('noSuchModel')} action={<Button onClick={onClose}>{t('closeDetails')}</Button>}>
          {name}
        </EmptyState>
      ) : (
        <Skeleton lines={5} />
      )}
    </ScrollRegion>
  )
}

function Detail({
  model,
  loaded,
  failure,
  onClose,
}: {
  readonly model: InstalledModel
  readonly loaded: LoadedModel | undefined
  readonly failure: LoadFailure | undefined
  readonly onClose: () => void
}) {
  const { t } = useTranslation('models')
  const { id, backend, source, pinned, disabled } = model
  const isOffline = useConnection().state === 'offline'
  const toggle = useToggle()
  const uses = listUses(model)
  const hasFile = source === undefined
  const { runtime_settings: hasSettings, mcp: hasTools, distributed: hasWorkers } = useCapabilities()
  return (
    <div className={listDetailStyles.content}>
      <div className={`row ${listDetailStyles.heading}`}>
        <LetterTile name={id} large />
        <div className="grow">
          <h2 className={listDetailStyles.title}>{id}</h2>
          <p className="meta">
            {[t('backendIs', { backend }), ...(loaded === undefined ? [] : [describeMemory(loaded, t)])].join(' · ')}
          </p>
        </div>
        <IconButton
          className={listDetailStyles.narrowOnly}
          small
          icon="x"
          label={t('closeDetails')}
          onClick={onClose}
        />
      </div>
      <div className="row wrap">
        {uses.map((use) => (
          <Badge key={use}>{use}</Badge>
        ))}
      </div>
      {failure !== undefined && loaded === undefined && (
        <Notice tone="bad">
          <b>{t('loadFailed')}</b> <RelativeTime time={failure.at} />
          <p>{failure.error}</p>
        </Notice>
      )}
      {continuesText(model) && <p className="meta">{t('continuesText')}</p>}
      <Actions model={model} isLoaded={loaded !== undefined} canChat={uses.includes('chat') && !disabled} />
      {hasFile ? (
        <div className="stack tight">
          <Switch
            label={t('pinnedAbout')}
            checked={pinned}
            disabled={isOffline}
            onChange={({ target }) => toggle.mutate({ name: id, field: 'pinned', value: target.checked })}
          />
          <Switch
            label={t('enabledAbout')}
            checked={!disabled}
            disabled={isOffline}
            onChange={({ target }) => toggle.mutate({ name: id, field: 'disabled', value: !target.checked })}
          />
        </div>
      ) : (
        <p className="meta">{t('withoutFile')}</p>
      )}
      {uses.includes('chat') && !disabled && hasSettings && <DefaultSwitch name={id} />}
      <ModelFacts model={model} />
      <Suspense>
        <LoadProgress model={id} />
        {hasWorkers && <RunsOn model={id} />}
      </Suspense>
      {model.tools === true && hasTools && !disabled && (
        <Suspense>
          <ToolsSection key={id} model={id} />
        </Suspense>
      )}
    </div>
  )
}

/** Makes the model the one for new chats. */
function DefaultSwitch({ name }: { readonly name: string }) {
  const { t } = useTranslation('models')
  const isOffline = useConnection().state === 'offline'
  const chosen = useQuery(defaultModelQuery).data
  const change = useDefaultModel()
  return (
    <Switch
      label={t('defaultAbout')}
      checked={chosen === name}
      disabled={isOffline || chosen === undefined || change.isPending}
      onChange={({ target }) => change.mutate(target.checked ? name : '')}
    />
  )
}

function describeMemory({ size_vram, process }: LoadedModel, t: TFunction): string {
  const parts = size_vram === undefined ? [] : [t('memory.graphics', { bytes: formatBytes(size_vram) })]
  if (process !== undefined) parts.push(t('memory.process', { bytes: formatBytes(process.rss_bytes) }))
  return parts.join(' · ')
}

function Actions({
  model: { id, source },
  isLoaded,
  canChat,
}: {
  readonly model: InstalledModel
  readonly isLoaded: boolean
  readonly canChat: boolean
}) {
  const { t } = useTranslation('models')
  const { model_gallery: canRemove, model_editor: hasEditor, backend_logs: hasLogs } = useCapabilities()
  const isOffline = useConnection().state === 'offline'
  const loading = useLoading(id)
  const operations = useQuery(operationsQuery).data
  const operation = findActiveOperation(operations, { kind: 'model', name: id })
  const [isRemoving, setRemoving] = useState(false)
  if (operation !== undefined) return <InstallProgress operation={operation} />
  return (
    <>
      <div className="row wrap">
        {canChat && (
          <Link className={buttonClass('primary')} to={`/app/chat/${encodeURIComponent(id)}` as '/app'}>
            {t('openInChat')}
          </Link>
        )}
        <Button
          busy={loading.isPending}
          disabled={isOffline}
          onClick={() => loading.mutate(isLoaded ? 'stop' : 'load')}
        >
          {t(isLoaded ? 'stop' : 'load')}
        </Button>
        {hasEditor && source === undefined && (
          <Link className={buttonClass()} to="/app/models/$name" params={{ name: id }}>
            {t('configure')}
          </Link>
        )}
        {hasLogs && (
          <Link className={buttonClass()} to={`/app/backends/logs/${encodeURIComponent(id)}` as '/app'}>
            {t('logs')}
          </Link>
        )}
        {hasEditor && source === 'demo' && <CopyModelButton name={id} />}
        {canRemove && source === undefined && (
          <Button disabled={isOffline} onClick={() => setRemoving(true)}>
            {t('remove')}
          </Button>
        )}
      </div>
      {loading.isError && <ErrorBlock title={t('loadFailed')} error={loading.error} />}
      {isRemoving && <RemoveDialog kind="model" name={id} onClose={() => setRemoving(false)} />}
    </>
  )
}
