import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, buttonClass } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/dialog.tsx'
import { Icon } from '../../components/ui/icon.tsx'
import { ErrorBlock, QueryView } from '../../components/ui/states.tsx'
import { notify } from '../../components/ui/toast.ts'
import { ReplicaTable } from '../../components/workers/replica-table.tsx'
import { useConnection } from '../../lib/connection.ts'
import { changeModel, workerModelsQuery } from './api.ts'

type Verb = 'unload' | 'delete'

/** The models on a worker. */
export function ModelsCard({ id }: { readonly id: string }) {
  const { t } = useTranslation('nodes')
  const isOffline = useConnection().state === 'offline'
  const models = useQuery(workerModelsQuery(id))
  const [asked, setAsked] = useState<{ readonly verb: Verb; readonly model: string }>()
  return (
    <section className="stack tight" aria-labelledby="worker-models">
      <h2 id="worker-models">{t('models')}</h2>
      <QueryView query={models} lines={2}>
        {(replicas) =>
          replicas.length === 0 ? (
            <p className="muted">{t('noModels')}</p>
          ) : (
            <ReplicaTable
              replicas={replicas}
              actions={({ model_name: model }) => (
                <span className="row wrap">
                  <Link
                    className={buttonClass('ghost', 'small')}
                    to="/app/nodes/node/$id"
                    params={{ id }}
                    search={{ log: model }}
                    replace
                  >
                    <Icon name="raw" small />
                    {t('log')}
                    <span className="visuallyHidden">{model}</span>
                  </Link>
                  <Button small kind="ghost" disabled={isOffline} onClick={() => setAsked({ verb: 'unload', model })}>
                    {t('unload')}
                    <span className="visuallyHidden">{model}</span>
                  </Button>
                  <Button small kind="ghost" disabled={isOffline} onClick={() => setAsked({ verb: 'delete', model })}>
                    {t('deleteFiles')}
                    <span className="visuallyHidden">{model}</span>
                  </Button>
                </span>
              )}
            />
          )
        }
      </QueryView>
      {asked && <ModelDialog id={id} {...asked} onClose={() => setAsked(undefined)} />}
    </section>
  )
}

function ModelDialog({
  id,
  verb,
  model,
  onClose,
}: {
  readonly id: string
  readonly verb: Verb
  readonly model: string
  readonly onClose: () => void
}) {
  const { t } = useTranslation('nodes')
  const change = useMutation({
    mutationFn: () => changeModel(id, verb, model),
    onSuccess() {
      onClose()
      notify('success', t(`modelDone.${verb}`, { model }))
    },
  })
  return (
    <ConfirmDialog
      title={t(`modelAsk.${verb}`, { model })}
      action={t(verb === 'unload' ? 'unload' : 'deleteFiles')}
      busy={change.isPending}
      error={change.isError && <ErrorBlock error={change.error} />}
      onConfirm={() => change.mutate()}
      onClose={onClose}
    >
      <p>{t(`modelAbout.${verb}`)}</p>
    </ConfirmDialog>
  )
}
