import type { MockBehaviour, MockScript } from '@svc/backend-mock/script'
import type { routerDecisionList } from '@svc/wire/native'
import { stringify } from 'yaml'
import type * as z from 'zod'
import { startTestServer, type TestServer, type TestServerOptions } from './server.ts'

/** A decision as the log shows it. */
export type WireDecision = z.infer<typeof routerDecisionList>['decisions'][number]

/** The labels of the world: a prompt with the word `fix` is code, one with the word `sum` is math, any other is chat. */
export const POLICIES = [
  { label: 'code', description: 'Writing programs' },
  { label: 'math', description: 'Numbers and proofs' },
  { label: 'chat', description: 'Everything else' },
]

export const CANDIDATES = [
  { model: 'small', labels: ['chat'] },
  { model: 'mid', labels: ['chat', 'code'] },
  { model: 'large', labels: ['chat', 'code', 'math'] },
]

/** Scores of the labels, in their order: the named one is near certain. */
export function certain(label: string): MockBehaviour {
  return {
    answer: {
      candidates: POLICIES.map((policy) => ({ logProb: policy.label === label ? -1 : -60, numTokens: 8 })),
    },
  }
}

/** The script of a model that scores as {@link POLICIES} says. */
export const JUDGE: MockScript = {
  rules: [
    { rpc: 'Score', contains: 'fix', do: certain('code') },
    { rpc: 'Score', contains: 'sum', do: certain('math') },
    { rpc: 'Score', do: certain('chat') },
  ],
}

/** A server with three candidates that say their name, a fallback, and models that classify. */
export interface RouterWorld extends AsyncDisposable {
  readonly server: TestServer
  /** Writes a router; keys of its `router` block replace the usual ones. */
  router(name: string, keys?: Record<string, unknown>, modelKeys?: Record<string, unknown>): Promise<void>
  /** Writes the model that scores. */
  judge(script?: MockScript, keys?: Record<string, unknown>): Promise<void>
  /** Writes a model that embeds and has it loaded: an embedding cache waits two seconds for a load. */
  embedder(name: string, script?: MockScript, keys?: Record<string, unknown>): Promise<void>
  /** Chats with a router. */
  ask(
    content: string,
    model?: string,
  ): Promise<{ readonly status: number; readonly model: string; readonly text: string }>
  decisions(query?: string): Promise<WireDecision[]>
  corpus(
    router: string,
    entries: readonly { text: string; labels: readonly string[] }[],
  ): ReturnType<TestServer['post']>
}

/** Starts the server. */
export async function startRouterWorld(options: TestServerOptions = {}): Promise<RouterWorld> {
  const server = await startTestServer(options)
  for (const name of ['small', 'mid', 'large', 'spare']) {
    await server.model(
      name,
      { rules: [{ rpc: 'Predict*', do: { text: `I am ${name}` } }] },
      { known_usecases: ['chat', 'completion', 'edit'] },
    )
  }
  const world: RouterWorld = {
    server,
    router: (name, keys = {}, modelKeys = {}) =>
      server.writeModelFile(
        `${name}.yaml`,
        stringify({
          name,
          router: {
            classifier_model: 'judge',
            activation_threshold: 0.5,
            policies: POLICIES,
            candidates: CANDIDATES,
            fallback: 'spare',
            ...keys,
          },
          ...modelKeys,
        }),
      ),
    judge: (script = JUDGE, keys = {}) => server.model('judge', script, { known_usecases: ['score'], ...keys }),
    async embedder(name, script = {}, keys = {}) {
      await server.model(name, script, { known_usecases: ['embeddings'], embeddings: true, ...keys })
      await server.post('/v1/embeddings', { model: name, input: 'load it' })
    },
    async ask(content, model = 'auto') {
      const reply = await server.post('/v1/chat/completions', { model, messages: [{ role: 'user', content }] })
      const body = reply.json() as { model?: string; choices?: { message: { content: string } }[] }
      return { status: reply.status, model: body.model ?? '', text: body.choices?.[0]?.message.content ?? reply.text }
    },
    async decisions(query = '') {
      const reply = await server.call(`/api/router/decisions${query}`)
      return (reply.json() as { decisions: WireDecision[] }).decisions
    },
    corpus: (router, entries) => server.post(`/api/router/${router}/corpus`, { entries }),
    async [Symbol.asyncDispose]() {
      await server.close()
    },
  }
  await world.judge()
  await world.router('auto')
  return world
}
