import { queryOptions, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'
import { QueryView } from '../../components/ui/states.tsx'
import { api, unwrap } from '../../lib/api-client.ts'
import * as styles from './chat.module.css'
import { type FileChange, readFileChange } from './file-change.ts'
import { FoldedText, LongText } from './folded-text.tsx'

const AS_YAML = { bodySerializer: (text: string) => text, headers: { 'content-type': 'application/yaml' } }

const differenceQuery = ({ name, body }: FileChange) =>
  queryOptions({
    queryKey: ['model-file', 'preview', name, body],
    gcTime: 0,
    retry: false,
    async queryFn({ signal }): Promise<string> {
      const init = { signal, params: { path: { name } }, body } as const
      const sent = typeof body === 'string' ? { ...init, ...AS_YAML, body } : { ...init, body }
      return (await unwrap(api.POST('/api/models/preview/{name}', sent as typeof init))).diff
    },
  })

/** What a change of a model file would change, before it happens. @param text the arguments of the call, JSON */
export function FileDifference({ text }: { readonly text: string }) {
  const { t } = useTranslation('chat')
  const change = readFileChange(text)
  if (change === undefined) return <LongText text={text} />
  return (
    <>
      <p className="meta">{t(change.isDryRun ? 'consent.onlyShows' : 'consent.changesFile', { name: change.name })}</p>
      <Difference change={change} />
      <FoldedText label={t('tools.arguments')} text={text} />
    </>
  )
}

function Difference({ change }: { readonly change: FileChange }) {
  const { t } = useTranslation('chat')
  const query = useQuery(differenceQuery(change))
  return (
    <QueryView query={query} lines={4} height={18}>
      {(diff) =>
        diff === '' ? (
          <p>{t('consent.noDifference')}</p>
        ) : (
          <ScrollRegion as="pre" className={styles.difference} aria-label={t('consent.difference')}>
            {listLines(diff).map(({ id, kind, line }) => (
              <span key={id} className={kind}>
                {line}
                {'\n'}
              </span>
            ))}
          </ScrollRegion>
        )
      }
    </QueryView>
  )
}

/** The lines of a difference in unified form, without the names of the files. */
function listLines(diff: string) {
  const lines = diff.trimEnd().split('\n')
  const start = lines.findIndex((line) => line.startsWith('@@'))
  return lines.slice(Math.max(0, start)).map((line, index) => ({ id: index, kind: toKind(line), line }))
}

function toKind(line: string): string {
  if (line.startsWith('+')) return `${styles.added}`
  return line.startsWith('-') ? `${styles.removed}` : ''
}
