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
      <table className="tbl two vt">
        <thead>
          <tr>
            <th scope="col">{t('variants.variant')}</th>
            <th scope="col">{t('backend')}</th>
            <th scope="col" className="num">
              {t('variants.memory')}
            </th>
            <th scope="col">{t('variants.host')}</th>
            <th scope="col">
              <span className="vh">{t('variants.action')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {data.variants.map(({ model: name, backend, fits, memory_bytes }) => (
            <tr key={name}>
              <td className="main-c">
                <span className="mono med name">{name}</span>{' '}
                {name === data.auto_selected && <Badge>{t('variants.best')}</Badge>}
              </td>
              <td className="free m">{backend}</td>
              <td className="num free m">{memory_bytes === undefined ? t('unknown') : formatBytes(memory_bytes)}</td>
              <td className="free m">
                <FitStatus fit={judgeFit({ fits, memory_bytes }, host)} />
              </td>
              <td className="num free end-c">
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
