import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import type { CorpusEntry } from './corpus-file.ts'
import type { DecisionSearch } from './search.ts'

/** Decisions that the server keeps. */
export const KEPT_DECISIONS = 5_000
/** Decisions that are shown at once. */
export const SHOWN_DECISIONS = 200
const LIVE_MS = 5_000

const fetchRouters = (signal?: AbortSignal) =>
  unwrap(api.GET('/api/router/status', signal === undefined ? {} : { signal }))

/** A router as the server describes it. */
export type Router = Awaited<ReturnType<typeof fetchRouters>>['models'][number]

/** All routers with their labels, candidates and mistakes. */
export const routersQuery = queryOptions({
  queryKey: ['routers'],
  queryFn: ({ signal }) => fetchRouters(signal),
})

async function fetchDecisions({ router, user, correlation }: DecisionSearch, signal?: AbortSignal) {
  const query = {
    limit: String(SHOWN_DECISIONS),
    ...(router === undefined ? {} : { router_model: router }),
    ...(user === undefined ? {} : { user_id: user }),
    ...(correlation === undefined ? {} : { correlation_id: correlation }),
  }
  const { decisions } = await unwrap(
    api.GET('/api/router/decisions', { params: { query }, ...(signal === undefined ? {} : { signal }) }),
  )
  return decisions
}

/** A decision of the log. */
export type Decision = Awaited<ReturnType<typeof fetchDecisions>>[number]

/** The newest decisions that pass the filters. The reason is compared here, since the server cannot filter by it. */
export const decisionsQuery = ({ router, user, correlation, live }: DecisionSearch) =>
  queryOptions({
    queryKey: ['router-decisions', { router, user, correlation }],
    queryFn: ({ signal }) => fetchDecisions({ router, user, correlation }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: live === true ? LIVE_MS : false,
  })

/** The decision of a router for a text. Nothing is logged and no model answers. */
export function decide(router: string, input: string, signal: AbortSignal) {
  return unwrap(api.POST('/api/router/decide', { body: { router, input }, signal }))
}

/** A decision that was only tried. */
export type DryRun = Awaited<ReturnType<typeof decide>>

/** The log-probabilities of answers to a prompt. */
export function scoreAnswers(model: string, prompt: string, candidates: readonly string[], signal: AbortSignal) {
  const body = { model, prompt, candidates: [...candidates], length_normalize: true }
  return unwrap(api.POST('/api/score', { body, signal }))
}

/** The size of the corpus of a router. */
export const corpusQuery = (name: string) =>
  queryOptions({
    queryKey: ['router-corpus', name],
    queryFn: ({ signal }) => unwrap(api.GET('/api/router/{name}/corpus/stats', { params: { path: { name } }, signal })),
  })

/** Adds labelled texts to a corpus. A text that is there is skipped. */
export function addEntries(name: string, entries: readonly CorpusEntry[], signal: AbortSignal) {
  const body = { entries: entries.map(({ text, labels }) => ({ text, labels: [...labels] })) }
  return unwrap(api.POST('/api/router/{name}/corpus', { params: { path: { name } }, body, signal }))
}

/** Removes all texts of a corpus. */
export function clearCorpus(name: string) {
  return unwrap(api.DELETE('/api/router/{name}/corpus', { params: { path: { name } } }))
}
