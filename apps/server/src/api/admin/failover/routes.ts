import { SvcError } from '@svc/errors'
import {
  type FailoverChainList,
  failoverChain,
  failoverChainList,
  failoverEvent,
  failoverPinRequest,
} from '@svc/wire/native'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import { hasFailover } from '../../../catalog/serving.ts'
import type { BodyReader } from '../../../http/body.ts'
import type { Call } from '../../../http/call.ts'
import type { CompressionPolicy } from '../../../http/compression.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { FailoverWatch } from '../../../inference/failover/watch.ts'
import { readBody } from '../../../inference/read-body.ts'
import { readDocument } from '../../../inference/stages/body.ts'
import { streamEvents } from '../event-stream.ts'
import { type DescribeParts, describeChain, toFrame, toWireChange } from './describe.ts'

/** Options of {@link failoverRoutes}. */
export interface FailoverRouteParts extends DescribeParts {
  readonly watch: FailoverWatch
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
  const { models, groups, bodies } = parts
  const shared = { access: 'admin', family: 'compatible', tag: 'failover' } as const
  const one = { 200: { description: 'The failover group with the states of its targets.', schema: failoverChain } }
  const all = () =>
    models
      .list()
      .filter(hasFailover)
      .map((model) => describeChain(model, parts))
  const pin = (model: ModelConfig, target: string | undefined): Response => {
    groups.get(model).pin(target)
    return json(describeChain(model, parts))
  }
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/failover/chains',
      summary: 'Failover groups with the states of their targets',
      quiet: true,
      responses: { 200: { description: 'Every failover group, by name.', schema: failoverChainList } },
      handler: () => json({ chains: all() } satisfies FailoverChainList),
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
          schema: failoverEvent,
          contentType: 'text/event-stream',
        },
      },
      handler: (call) =>
        streamEvents(
          call,
          {
            open: () => parts.watch.open(),
            begin: () => toFrame({ type: 'chains', chains: all() }),
            toFrames: (notices) => notices.map((notice) => toFrame(toWireChange(notice, all))).join(''),
          },
          parts,
        ),
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: CHAIN,
      summary: 'One failover group with the states of its targets',
      quiet: true,
      responses: one,
      handler: (call) => json(describeChain(findGroup(call, parts), parts)),
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: `${CHAIN}/pin`,
      summary: 'Pin a failover group to one target, whatever its state',
      body: failoverPinRequest,
      responses: one,
      async handler(call) {
        const model = findGroup(call, parts)
        return pin(model, await readTarget(call, bodies))
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: `${CHAIN}/unpin`,
      summary: 'Unpin a failover group: all targets may be asked again',
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
    return (await readBody(failoverPinRequest, await readDocument(held.bytes, call), call.signal)).target
  } finally {
    held.release()
  }
}
