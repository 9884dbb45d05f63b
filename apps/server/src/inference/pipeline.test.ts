import { parseJson } from '@svc/json'
import { describe, expect, it } from 'vitest'
import { createModel } from '../catalog/__fixtures__/model.ts'
import type { Cleanup } from './cleanup.ts'
import { createRequestCore, type IncomingRequest, STAGE_ORDER, type StageName, type Stages } from './pipeline.ts'
import type { Reply } from './reply.ts'

const model = createModel({ name: 'm' })
const document = parseJson(Buffer.from('{}'))
const incoming = { context: {}, format: {}, source: { message: document } } as unknown as IncomingRequest

/** Stages that record their name when entered, and again when the request ends. */
function recording(stages: Partial<Stages> = {}) {
  const order: StageName[] = []
  const observed: string[] = []
  const note = (name: StageName, cleanup?: Cleanup): void => {
    order.push(name)
    cleanup?.add(() => observed.push(`given back ${name}`))
  }
  const all: Stages = {
    body(_request, cleanup) {
      note('body', cleanup)
      return Promise.resolve(document)
    },
    resolve() {
      note('resolve')
      return { replyModel: 'alias', requestedModel: 'alias', model, through: ['alias'] }
    },
    globalLimit: (_request, cleanup) => note('globalLimit', cleanup),
    async router(request) {
      note('router')
      return request.model
    },
    access: (_request, cleanup) => note('access', cleanup),
    modelLimit: (_request, cleanup) => note('modelLimit', cleanup),
    pii() {
      note('pii')
      return { splices: [] }
    },
    parse(_request, _filtered, cleanup) {
      note('parse', cleanup)
      return undefined
    },
    async model({ ledger, request }, cleanup) {
      note('model', cleanup)
      return { kind: 'relayed', context: request.context, ledger, relayTo: () => Promise.resolve() }
    },
    ...stages,
  }
  const core = createRequestCore(all, {
    observe(stage) {
      observed.push(stage)
      return () => observed.push(`/${stage}`)
    },
  })
  const delivered: Reply[] = []
  const serve = () =>
    core.serve(incoming, async (reply) => {
      order.push('reply')
      delivered.push(reply)
    })
  return { order, observed, delivered, serve }
}

describe('createRequestCore', () => {
  // verifies request:order:stages
  it('runs every stage once, in the settled order, and gives back in reverse', async () => {
    const { order, observed, serve } = recording()
    const ledger = await serve()
    expect(order).toEqual([...STAGE_ORDER])
    expect(observed.filter((step) => !step.startsWith('given'))).toEqual([
      ...STAGE_ORDER,
      ...STAGE_ORDER.map((name) => `/${name}`).reverse(),
    ])
    expect(observed.filter((step) => step.startsWith('given'))).toEqual(
      ['model', 'parse', 'modelLimit', 'access', 'globalLimit', 'body'].map((name) => `given back ${name}`),
    )
    expect([ledger.requestedModel, ledger.servedModel]).toEqual(['alias', model])
  })

  it('decides access, limits and filter on the model that the router chose', async () => {
    const other = createModel({ name: 'other' })
    const seen: string[] = []
    const { serve } = recording({
      router: () => other,
      access: ({ request }) => void seen.push(request.model.name),
      modelLimit: (request) => void seen.push(request.model.name),
      pii: (request) => {
        seen.push(request.model.name)
        return { splices: [] }
      },
    })
    const ledger = await serve()
    expect([...seen, ledger.servedModel.name, ledger.requestedModel]).toEqual([
      'other',
      'other',
      'other',
      'other',
      'alias',
    ])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('full')
      },
    ],
    ['rejects', () => Promise.reject(new Error('full'))],
  ] as const)('ends where a stage %s, and gives back everything taken before it', async (_, access) => {
    const released: unknown[] = []
    const { order, delivered, serve } = recording({
      globalLimit: (_request, cleanup) => cleanup.add((thrown) => released.push(thrown)),
      access,
    })
    await expect(serve()).rejects.toThrow('full')
    expect(order).toEqual(['body', 'resolve', 'router'])
    expect(released).toEqual([new Error('full')])
    expect(delivered).toEqual([])
  })

  it('gives everything back even if giving one thing back fails', async () => {
    const released: string[] = []
    const { serve } = recording({
      globalLimit: (_request, cleanup) => cleanup.add(() => released.push('slot')),
      modelLimit: (_request, cleanup) =>
        cleanup.add(() => {
          throw new Error('lost')
        }),
    })
    await expect(serve()).rejects.toThrow('lost')
    expect(released).toEqual(['slot'])
  })
})
