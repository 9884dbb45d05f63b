import { SvcError } from '@svc/errors'
import type { FailoverChainList } from '@svc/wire/native'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import { hasFailover } from '../../../catalog/serving.ts'
import type { InferenceRoom } from '../../../compose-inference.ts'
import type { BodyReader } from '../../../http/body.ts'
import type { Call } from '../../../http/call.ts'
import type { CompressionPolicy } from '../../../http/compression.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { Chains } from '../../../inference/failover/chains.ts'
import type { FailoverNotice } from '../../../inference/failover/watch.ts'
import { readDocument } from '../../../inference/stages/body.ts'
import type { Clock } from '../../../ports.ts'
import { type EventSource, streamEvents } from '../event-stream.ts'
import { describeChain, toFrame, toWireChange } from './describe.ts'

const wire = () => import('@svc/wire/native')

/** What the routes need. */
export interface FailoverRouteParts {
  /** The chains and what becomes of them; the first call loads them. */
  readonly open: () => Promise<InferenceRoom['failover']>
  readonly clock: Clock
  readonly models: {
    list(): readonly ModelConfig[]
    resolve(name: string): ModelConfig | undefined
  }
}

const CHAIN = '/api/failover/chains/:name'

/** `GET /api/failover/chains`, `…/:name` and `/api/failover/events`; `POST …/:name/pin` and `…/unpin`. */
export function failoverRoutes(
  parts: FailoverRouteParts & {
    readonly bodies: BodyReader
    readonly compression: CompressionPolicy
    readonly opaqueErrors: boolean
  },
): Route[] {
  const { models, bodies, clock } = parts
  const shared = { access: 'admin', family: 'compatible', tag: 'failover' } as const
  const one = {
    200: { description: 'The chain and how its targets are.', schema: async () => (await wire()).failoverChain },
  }
  const describeAll = (chains: Chains) =>
    models
      .list()
      .filter(hasFailover)
      .map((model) => describeChain(model, { chains, clock }))
  const pin = async (model: ModelConfig, target: string | undefined): Promise<HttpReply> => {
    const { chains } = await parts.open()
    chains.of(model).pin(target)
    return json(describeChain(model, { chains, clock }))
  }
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/failover/chains',
      summary: 'Models whose targets answer for them, and how the targets are',
      quiet: true,
      responses: {
        200: { description: 'Every chain, by name.', schema: async () => (await wire()).failoverChainList },
      },
      handler: async () => json({ chains: describeAll((await parts.open()).chains) } satisfies FailoverChainList),
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/failover/events',
      summary: 'What changes in chains, as it happens',
      quiet: true,
      responses: {
        200: {
          description: 'How all chains are, first and whenever a file changes one, and each change of their targets.',
          schema: async () => (await wire()).failoverEvent,
          contentType: 'text/event-stream',
        },
      },
      async handler(call) {
        const { chains, watch } = await parts.open()
        const all = () => describeAll(chains)
        const source: EventSource<FailoverNotice> = {
          open: () => watch.open(),
          begin: () => toFrame({ type: 'chains', chains: all() }),
          toFrames: (notices) => notices.map((notice) => toFrame(toWireChange(notice, all))).join(''),
        }
        return streamEvents(call, source, parts)
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: CHAIN,
      summary: 'One chain and how its targets are',
      quiet: true,
      responses: one,
      async handler(call) {
        const model = findChain(call, parts)
        return json(describeChain(model, { chains: (await parts.open()).chains, clock }))
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: `${CHAIN}/pin`,
      summary: 'Have a chain ask one target alone, whatever its state',
      body: async () => (await wire()).failoverPinRequest,
      responses: one,
      async handler(call) {
        const model = findChain(call, parts)
        return pin(model, await readTarget(call, bodies))
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: `${CHAIN}/unpin`,
      summary: 'Have a chain ask all of its targets again',
      responses: one,
      handler: (call) => pin(findChain(call, parts), undefined),
    }),
  ]
}

function findChain(call: Call, { models }: FailoverRouteParts): ModelConfig {
  const name = call.param('name')
  const model = models.resolve(name)
  if (model !== undefined && hasFailover(model)) return model
  throw new SvcError('not_found', `no chain is called "${name}"`, {
    code: 'failover_chain_not_found',
    details: { type: 'not_found_error', param: 'name' },
  })
}

async function readTarget(call: Call, bodies: BodyReader): Promise<string> {
  const held = await bodies.read(call)
  try {
    const [{ readBody }, { failoverPinRequest }] = await Promise.all([
      import('../../../inference/read-body.ts'),
      wire(),
    ])
    return (await readBody(failoverPinRequest, await readDocument(held.bytes, call), call.signal)).target
  } finally {
    held.release()
  }
}
