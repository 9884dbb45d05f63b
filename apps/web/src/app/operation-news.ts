import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { describePhase } from '../components/operations/operation-words.ts'
import { notify } from '../components/ui/toast.ts'
import { api, unwrap } from '../lib/api-client.ts'
import { formatPercent } from '../lib/format.ts'
import type { Operation } from '../lib/operations/operation.ts'
import { compareOperations } from '../lib/operations/operation-changes.ts'
import { operationHistoryQuery } from '../lib/operations/operation-queries.ts'

/**
 * Follows the operations: shows one toast for a finished one, and fetches again what it changed.
 *
 * @returns the text for screen readers: each new phase, each quarter, each failure
 */
export function useOperationNews(operations: readonly Operation[] | undefined): string {
  const { t } = useTranslation('operations')
  const client = useQueryClient()
  const navigate = useNavigate()
  const before = useRef<readonly Operation[]>(undefined)
  const [said, setSaid] = useState('')
  useEffect(() => {
    const earlier = before.current
    before.current = operations
    if (earlier === undefined || operations === undefined) return
    const { gone, failed, advanced } = compareOperations(earlier, operations)
    const words = [
      ...failed.map(({ name, error }) => t('saidFailed', { name, error })),
      ...advanced.map((operation) =>
        t('said', {
          name: operation.name,
          phase: describePhase(operation, t),
          share: formatPercent(operation.progress / 100),
        }),
      ),
    ]
    if (words.length > 0) setSaid(words.join(' '))
    const open = (name: string) => void navigate({ to: `/app/chat/${encodeURIComponent(name)}` as '/app' })
    if (gone.length > 0) void tellFinished(gone, { client, open, t })
    else if (failed.length > 0) void client.invalidateQueries({ queryKey: operationHistoryQuery.queryKey })
  }, [operations, client, navigate, t])
  return said
}

interface TellParts {
  readonly client: QueryClient
  readonly open: (name: string) => void
  readonly t: TFunction
}

async function tellFinished(gone: readonly Operation[], { client, open, t }: TellParts): Promise<void> {
  try {
    const history = await client.fetchQuery({ ...operationHistoryQuery, staleTime: 0 })
    const outcomes = new Map(history.map(({ jobID, outcome }) => [jobID, outcome]))
    const done = gone.filter(({ jobID }) => outcomes.get(jobID) === 'completed')
    if (done.length === 0) return
    // pages show models, backends and capabilities of the server: all of them may be different now
    void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'operations' })
    const models = done.some(({ isBackend, isDeletion }) => !isBackend && !isDeletion) ? await listChatModels() : []
    for (const { name, isDeletion, isBackend, taskType } of done) {
      if (taskType === 'staging') continue
      const canChat = !isDeletion && !isBackend && models.includes(name)
      const action = canChat ? { label: t('openInChat'), onClick: () => open(name) } : undefined
      notify('success', t(isDeletion ? 'removed' : 'installed', { name }), action)
    }
  } catch {
    // The page that shows the history says why it cannot be read.
  }
}

async function listChatModels(): Promise<readonly string[]> {
  const { data } = await unwrap(api.GET('/api/models/capabilities', {}))
  return data.filter(({ capabilities }) => capabilities.includes('FLAG_CHAT')).map(({ id }) => id)
}
