import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { QueryView } from '../../components/ui/states.tsx'
import { Badge } from '../../components/ui/status.tsx'
import { useConnection } from '../../lib/connection.ts'
import { formatBytes } from '../../lib/format.ts'
import { findActiveOperation } from '../../lib/operations/operation.ts'
import { useOperationAction } from '../../lib/operations/operation-actions.ts'
import { operationsQuery } from '../../lib/operations/operation-queries.ts'
import { type GalleryModel, hostQuery, type Variants, variantsQuery } from './api.ts'
import { judgeFit } from './fit.ts'
import { FitStatus } from './gallery-list.tsx'
import * as styles from './models.module.css'

/** The forms of a model, each with its own button. */
export function VariantsTable({ model }: { readonly model: GalleryModel }) {
  const { t } = useTranslation('models')
  const variants = useQuery(variantsQuery(model.id))
  return (
    <section aria-label={t('variants.title')}>
      <h3>{t('variants.title')}</h3>
      <QueryView query={variants} lines={3} height={44}>
        {(data) => <Table model={model} data={data} />}
      </QueryView>
    </section>
  )
}

function Table({ model, data }: { readonly model: GalleryModel; readonly data: Variants }) {
  const { t } = useTranslation('models')
  const about = useId()
  const host = useQuery(hostQuery).data
  const isOffline = useConnection().state === 'offline'
  const { mutate, isPending } = useOperationAction()
  const operations = useQuery(operationsQuery).data
  const isBusy = findActiveOperation(operations, { kind: 'model', name: model.id }) !== undefined
  const tooLarge = data.variants.some(({ fits }) => fits === false)
  return (
    <>
      <table className={`table stacked ${styles.wideTable}`}>
        <thead>
          <tr>
            <th scope="col">{t('variants.variant')}</th>
            <th scope="col">{t('backend')}</th>
            <th scope="col" className="number">
              {t('variants.memory')}
            </th>
            <th scope="col">{t('variants.host')}</th>
            <th scope="col">
              <span className="visuallyHidden">{t('variants.action')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {data.variants.map(({ model: name, backend, fits, memory_bytes }) => (
            <tr key={name}>
              <td className="mainCell">
                <span className={`monospace medium ${styles.name}`}>{name}</span>{' '}
                {name === data.auto_selected && <Badge>{t('variants.best')}</Badge>}
              </td>
              <td className="freeCell minorCell">{backend}</td>
              <td className="number freeCell minorCell">
                {memory_bytes === undefined ? t('unknown') : formatBytes(memory_bytes)}
              </td>
              <td className="freeCell minorCell">
                <FitStatus fit={judgeFit({ fits, memory_bytes }, host)} />
              </td>
              <td className="number freeCell endCell">
                <Button
                  small
                  disabled={isOffline || isPending || isBusy || model.installed}
                  {...(fits === false && { 'aria-describedby': about })}
                  onClick={() => mutate({ do: 'install', kind: 'model', id: model.id, variant: name })}
                >
                  {t('install')}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="meta" id={about}>
        {model.installed ? t('variants.removeFirst') : tooLarge ? t('variants.tooLarge') : ''}
      </p>
    </>
  )
}
