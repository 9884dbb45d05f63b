import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { QueryView } from '../../components/ui/states.tsx'
import { Badge, Status } from '../../components/ui/status.tsx'
import { middlewareQuery } from '../../lib/server-state.ts'
import type { Policies } from './api.ts'

/** The filtered models with their detectors, for admins. */
export function PolicyCard() {
  const { t } = useTranslation('pii')
  const policies = useQuery(middlewareQuery)
  return (
    <QueryView query={policies}>
      {({ pii }) => (
        <>
          <ModelTable pii={pii} />
          <DetectorTable pii={pii} />
          <p className="meta">
            {pii.default_detectors.length === 0
              ? t('noDefaults')
              : t('defaults', { detectors: pii.default_detectors.join(', ') })}{' '}
            <Link
              to="/app/settings/$section"
              params={{ section: 'filtering-and-interception' }}
              hash="pii_default_detectors"
            >
              {t('changeDefaults')}
            </Link>
          </p>
        </>
      )}
    </QueryView>
  )
}

function EditorLink({ name }: { readonly name: string }) {
  return (
    <Link className="mainLink" to={`/app/models/${encodeURIComponent(name)}` as '/app'}>
      {name}
    </Link>
  )
}

function ModelTable({ pii }: { readonly pii: Policies }) {
  const { t } = useTranslation('pii')
  if (pii.models.length === 0) return null
  return (
    <div className="card">
      <header>
        <h3>{t('models')}</h3>
      </header>
      <table className="table stacked compact">
        <thead>
          <tr>
            <th scope="col">{t('model')}</th>
            <th scope="col">{t('filter')}</th>
            <th scope="col">{t('detectors')}</th>
          </tr>
        </thead>
        <tbody>
          {pii.models.map(({ name, enabled, detectors, explicit, detectors_from_default: fromDefault }) => (
            <tr key={name}>
              <td className="mainCell">
                <EditorLink name={name} />
              </td>
              <td className="endCell">
                <Status tone={enabled ? 'ok' : 'neutral'}>{enabled ? t('on') : t('off')}</Status>
                {enabled && !explicit && <span className="meta"> {t('byBackend')}</span>}
              </td>
              <td className="minorCell freeCell">
                {detectors.length === 0 ? t('none') : detectors.join(', ')}
                {fromDefault && <span className="meta"> {t('fromDefault')}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function DetectorTable({ pii }: { readonly pii: Policies }) {
  const { t } = useTranslation('pii')
  if (pii.detector_models.length === 0) return null
  return (
    <div className="card">
      <header>
        <h3>{t('detectors')}</h3>
      </header>
      <table className="table stacked compact">
        <thead>
          <tr>
            <th scope="col">{t('detector')}</th>
            <th scope="col">{t('foundBy')}</th>
            <th scope="col">{t('backend')}</th>
          </tr>
        </thead>
        <tbody>
          {pii.detector_models.map(({ name, backend, type, missing, default: isDefault }) => (
            <tr key={name}>
              <td className="mainCell">
                {missing === true ? name : <EditorLink name={name} />}{' '}
                {missing === true && <Badge tone="bad">{t('missing')}</Badge>}
                {isDefault && <Badge>{t('default')}</Badge>}
              </td>
              <td className="endCell">{t(`sourceKind.${type}`)}</td>
              <td className="minorCell">{backend}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
