import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { ScrolledTable } from '../../components/ui/scrolled-table.tsx'
import { formatNumber, formatPercent } from '../../lib/format.ts'
import type { Picture } from '../../lib/media/picture.ts'
import { useObjectUrl } from '../../lib/media/use-object-url.ts'
import type { components } from '../../lib/schema.gen.ts'
import * as styles from './playground.module.css'

type Detection = components['schemas']['DetectionList']['detections'][number]

/** Boxes that are drawn; a picture of more could not be read. */
const MAX_DRAWN = 200

/** Objects of at least a confidence, the surest first. */
export function listShown(detections: readonly Detection[], least: number): Detection[] {
  return detections
    .filter(({ confidence }) => confidence >= least)
    .sort((left, right) => right.confidence - left.confidence)
}

/** A picture with boxes around what was found in it, and the same as a table. */
export function FoundObjects({
  picture,
  detections,
  least,
}: {
  readonly picture: Picture
  readonly detections: readonly Detection[]
  /** The least confidence that is shown, 0 to 1. */
  readonly least: number
}) {
  const { t } = useTranslation('playground')
  const url = useObjectUrl(picture.file)
  const shown = listShown(detections, least)
  const toPercent = (value: number, side: number) => `${(value / side) * 100}%`
  return (
    <div className="card">
      <header>
        <h2>{t('detection.found', { count: shown.length })}</h2>
        <span className="push">
          <CopyButton text={JSON.stringify({ detections }, null, 2)} label={t('detection.copy')} />
        </span>
      </header>
      <div className="cardBody stack">
        <figure className={styles.found}>
          <img src={url} alt={picture.file.name} />
          <ol aria-hidden="true">
            {shown.slice(0, MAX_DRAWN).map(({ x, y, width, height, class_name: name, confidence }, index) => (
              <li
                key={index}
                style={{
                  left: toPercent(x, picture.width),
                  top: toPercent(y, picture.height),
                  width: toPercent(width, picture.width),
                  height: toPercent(height, picture.height),
                }}
              >
                <span>
                  {name} {formatPercent(confidence)}
                </span>
              </li>
            ))}
          </ol>
        </figure>
        {shown.length === 0 ? (
          <Notice>{detections.length === 0 ? t('detection.none') : t('detection.noneShown')}</Notice>
        ) : (
          <ScrolledTable label={t('detection.objects')} className="table compact">
            <thead>
              <tr>
                <th scope="col">{t('detection.object')}</th>
                <th scope="col" className="number">
                  {t('detection.confidence')}
                </th>
                <th scope="col" className="number">
                  {t('detection.place')}
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map(({ x, y, width, height, class_name: name, confidence }, index) => (
                <tr key={index}>
                  <td>{name}</td>
                  <td className="number">{formatPercent(confidence, 1)}</td>
                  <td className="number">
                    {[x, y].map((value) => formatNumber(value)).join(', ')}
                    <span className="separator" />
                    {[width, height].map((value) => formatNumber(value)).join(' × ')}
                  </td>
                </tr>
              ))}
            </tbody>
          </ScrolledTable>
        )}
      </div>
    </div>
  )
}
