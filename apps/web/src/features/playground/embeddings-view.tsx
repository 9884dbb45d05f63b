import { useTranslation } from 'react-i18next'
import { ScrolledTable } from '../../components/ui/scrolled-table.tsx'
import { formatNumber } from '../../lib/format.ts'
import type { Replies } from './api.ts'
import { compareVectors } from './kinds.ts'
import * as styles from './playground.module.css'

const SHOWN_VALUES = 8
/** Texts that are compared with each other. */
const SHOWN_TEXTS = 12

/** The vectors of texts, and how alike the texts are. */
export function EmbeddingsView({
  reply,
  texts,
}: {
  readonly reply: Replies['embeddings']
  readonly texts: readonly string[]
}) {
  const { t } = useTranslation('playground')
  const vectors = reply.data.flatMap(({ embedding }) => (typeof embedding === 'string' ? [] : [embedding]))
  const compared = vectors.slice(0, SHOWN_TEXTS)
  return (
    <>
      <p>
        {t('dimensions', { count: vectors[0]?.length ?? 0 })}{' '}
        <span className="muted">{t('promptTokens', { count: reply.usage.prompt_tokens })}</span>
      </p>
      <ol className={styles.vectors}>
        {compared.map((vector, index) => (
          <li key={index}>
            <span>{texts[index]}</span>
            <code>
              {vector
                .slice(0, SHOWN_VALUES)
                .map((value) => formatNumber(value, 4))
                .join('  ')}
              {vector.length > SHOWN_VALUES && ' …'}
            </code>
          </li>
        ))}
      </ol>
      {compared.length > 1 && (
        <>
          <h3>{t('likeness')}</h3>
          <ScrolledTable label={t('likeness')} className="table compact">
            <thead>
              <tr>
                <th scope="col">{t('textHead')}</th>
                {compared.map((_, column) => (
                  <th key={column} scope="col" className="number">
                    {formatNumber(column + 1)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {compared.map((left, row) => (
                <tr key={row}>
                  <th scope="row">{formatNumber(row + 1)}</th>
                  {compared.map((right, column) => (
                    <td key={column} className="number">
                      {formatNumber(compareVectors(left, right), 3)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </ScrolledTable>
        </>
      )}
    </>
  )
}
