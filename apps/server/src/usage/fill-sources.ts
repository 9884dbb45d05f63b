import type { Usage } from '@svc/auth/usage'
import type { Database } from '../db/database.ts'
import type { Logger } from '../ports.ts'

/** Names the source of the usage rows of old databases (§2.6). A failure is logged: the next start tries again. */
export async function fillSources(
  usage: Pick<Usage, 'backfillSources'>,
  {
    database,
    logger,
    signal,
  }: { readonly database: Pick<Database, 'queries'>; readonly logger: Logger; readonly signal: AbortSignal },
): Promise<void> {
  try {
    if (!(await database.queries.holdsRows('usage_records'))) return
    const records = await usage.backfillSources({ signal })
    if (records > 0) logger.info({ records }, 'sources of old usage are filled in')
  } catch (error) {
    if (!signal.aborted) logger.warn({ err: error }, 'sources of old usage could not be filled in')
  }
}
