import type { TFunction } from 'i18next'
import { formatBytes } from '../../lib/format.ts'
import type { PrunedFiles } from './unused-api.ts'

/** One message about a deletion. */
export interface PrunedNews {
  readonly kind: 'success' | 'error'
  readonly text: string
}

/**
 * Shows the result of a deletion: the freed space, the files that could not be deleted, and the reason for the rest.
 */
export function describePruned(
  { freed_bytes, failed, stopped }: Pick<PrunedFiles, 'freed_bytes' | 'failed' | 'stopped'>,
  t: TFunction<'models'>,
): readonly PrunedNews[] {
  const bytes = formatBytes(freed_bytes)
  const [first] = failed
  const news: PrunedNews[] = []
  if (first !== undefined) {
    news.push({ kind: 'error', text: t('unused.failed', { count: failed.length, reason: first.error }) })
  }
  if (stopped !== undefined) news.push({ kind: 'error', text: t(`unused.stopped.${stopped}`, { bytes }) })
  else if (first === undefined) news.push({ kind: 'success', text: t('unused.freed', { bytes }) })
  return news
}
