import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import { BODIES, type Input, type TextKind } from './kinds.ts'

/** The usecases of each backend that the galleries know, for admins. */
export const backendsQuery = queryOptions({
  queryKey: ['backend-usecases'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/backends/usecases', { signal })),
})

const CALLS = {
  embeddings: (model: string, input: Input, signal: AbortSignal) =>
    unwrap(api.POST('/v1/embeddings', { body: BODIES.embeddings(model, input), signal })),
  rerank: (model: string, input: Input, signal: AbortSignal) =>
    unwrap(api.POST('/v1/rerank', { body: BODIES.rerank(model, input), signal })),
  tokenize: (model: string, input: Input, signal: AbortSignal) =>
    unwrap(api.POST('/v1/tokenize', { body: BODIES.tokenize(model, input), signal })),
  moderation: (model: string, input: Input, signal: AbortSignal) =>
    unwrap(api.POST('/v1/moderations', { body: BODIES.moderation(model, input), signal })),
  score: (model: string, input: Input, signal: AbortSignal) =>
    unwrap(api.POST('/api/score', { body: BODIES.score(model, input), signal })),
} as const

/** The reply of each kind. */
export type Replies = { readonly [K in TextKind]: Awaited<ReturnType<(typeof CALLS)[K]>> }

/** The reply to a call, with the input that it answers. */
export type Outcome = {
  readonly [K in TextKind]: {
    readonly kind: K
    readonly reply: Replies[K]
    readonly input: Input
    readonly tookMs: number
  }
}[TextKind]

/** Sends the call of a kind. @throws ApiError */
export async function runKind(kind: TextKind, model: string, input: Input, signal: AbortSignal): Promise<Outcome> {
  const began = performance.now()
  const rest = () => ({ input, tookMs: performance.now() - began })
  switch (kind) {
    case 'embeddings':
      return { kind, reply: await CALLS.embeddings(model, input, signal), ...rest() }
    case 'rerank':
      return { kind, reply: await CALLS.rerank(model, input, signal), ...rest() }
    case 'tokenize':
      return { kind, reply: await CALLS.tokenize(model, input, signal), ...rest() }
    case 'moderation':
      return { kind, reply: await CALLS.moderation(model, input, signal), ...rest() }
    case 'score':
      return { kind, reply: await CALLS.score(model, input, signal), ...rest() }
  }
}
