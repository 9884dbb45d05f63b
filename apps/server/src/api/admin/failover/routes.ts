import { SvcError } from '@svc/errors'
import type { FailoverChainList } from '@svc/wire/native'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import { hasFailover } from '../../../catalog/serving.ts'
import type { BodyReader } from '../../../http/body.ts'
import type { Call } from '../../../http/call.ts'
import type { CompressionPolicy } from '../../../http/compression.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { readDocument } from '../../../inference/documents/read-json.ts'
import type { FailoverGroups } from '../../../inference/serving/failover/groups.ts'
import type { FailoverNotice, FailoverWatch } from '../../../inference/serving/failover/watch.ts'
import type { Clock } from '../../../ports.ts'
import { type EventSource, streamEvents } from '../event-stream.ts'
import { describeChain, toFrame, toWireChange } from './describe.ts'

const wire = () => import('@svc/wire/native')

/** Options of {@link failoverRoutes}. */
export interface FailoverRouteParts {
  /** Gives the failover groups and their changes; the first call loads them. */
  readonly open: () => Promise<{ readonly groups: FailoverGroups; readonly watch: FailoverWatch }>
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
    200: {
      description: 'The failover group with the states of its targets.',
      schema: async () => (await wire()).failoverChain,
    },
  }
  const describeAll = (groups: FailoverGroups) =>
    models
      .list()
      .filter(hasFailover)
      .map((model) => describeChain(model, { groups, clock }))
  const pin = async (model: ModelConfig, target: string | undefined): Promise<HttpReply> => {
    const { groups } = await parts.open()
    groups.get(model).pin(target)
    return json(describeChain(model, { groups, clock }))
  }
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/failover/chains',
      summary: 'Failover groups with the states of their targets',
      quiet: true,
      revalidated: true,
      responses: {
        200: { description: 'Every failover group, by name.', schema: async () => (await wire()).failoverChainList },
      },
      handler: async () => json({ chains: describeAll((await parts.open()).groups) } satisfies FailoverChainList),
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/failover/events',
      summary: 'A stream of changes of failover groups',
      quiet: true,
      responses: {
        200: {
          description:
            'The states of all failover groups, at first and after each change of a file, and every change of a target.',
          schema: async () => (await wire()).failoverEvent,
          contentType: 'text/event-stream',
        },
      },
      async handler(call) {
        const { groups, watch } = await parts.open()
        const all = () => describeAll(groups)
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
      summary: 'One failover group with the states of its targets',
      quiet: true,
      revalidated: true,
      responses: one,
      async handler(call) {
        const model = findGroup(call, parts)
        return json(describeChain(model, { groups: (await parts.open()).groups, clock }))
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: `${CHAIN}/pin`,
      summary: 'Pin a failover group to one target, whatever its state',
      audit: { change: 'failover.pin', target: 'name' },
      body: async () => (await wire()).failoverPinRequest,
      responses: one,
      async handler(call) {
        const model = findGroup(call, parts)
        const target = await readTarget(call, bodies)
        call.noteChange({ details: target })
        return pin(model, target)
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: `${CHAIN}/unpin`,
      summary: 'Unpin a failover group: all targets may be asked again',
      audit: { change: 'failover.unpin', target: 'name' },
      responses: one,
      handler: (call) => pin(findGroup(call, parts), undefined),
    }),
  ]
}

function findGroup(call: Call, { models }: FailoverRouteParts): ModelConfig {
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
      import('../../../inference/documents/read-body.ts'),
      wire(),
    ])
    return (await readBody(failoverPinRequest, await readDocument(held.bytes, call), call.signal)).target
  } finally {
    held.release()
  }
}
