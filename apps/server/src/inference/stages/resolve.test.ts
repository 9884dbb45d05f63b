import { parseJson } from '@svc/json'
import { describe, expect, it } from 'vitest'
import { type RawReply, startTestApp } from '../../../test/support/test-app.ts'
import { tokenizeCodec as codec } from '../../api/formats/tokenize/codecs.ts'
import { createReplyWriter } from '../../http/reply-writer.ts'
import type { RouteRow } from '../../http/route-row.ts'
import { Exchange } from '../exchange.ts'
import { resolveStage } from './resolve.ts'

const NO_MODELS = { resolve: () => undefined, defaultFor: () => undefined, faultOf: () => undefined }

/** What a client gets from the stage on a route of the row, where no model has any name. */
async function ask(row: Partial<RouteRow>, body: Readonly<Record<string, unknown>>): Promise<RawReply> {
  const stage = resolveStage(NO_MODELS)
  const base = { method: 'POST', path: '/x', access: 'none', family: 'compatible', tag: '', summary: '' } as const
  await using app = await startTestApp([
    {
      ...base,
      ...row,
      async handler(call) {
        const document = parseJson(Buffer.from(JSON.stringify(body)))
        const writer = createReplyWriter(call, { compression: { enabled: false, minLength: 0 } })
        const exchange = new Exchange({ call, codec, writer, body: { message: document } })
        await stage(exchange)
        throw new Error('went on')
      },
    },
  ])
  return await app.call('/x', { method: 'POST' })
}

describe('a name that no model has', () => {
  it('is not found', async () => {
    const reply = await ask({}, { model: 'nobody' })
    expect([reply.status, reply.json()]).toMatchObject([
      404,
      { error: { code: 'model_not_found', message: expect.stringContaining('"nobody" not found'), param: 'model' } },
    ])
  })

  it.each([
    ['messages', { type: 'error', error: { type: 'invalid_request_error', message: 'model configuration not found' } }],
    [
      'responses',
      {
        error: {
          type: 'invalid_request',
          message: 'model configuration not found',
          code: 'model_not_found',
          param: 'model',
        },
      },
    ],
  ] as const)('is a mistake in the request where the row says so, in the envelope of %s', async (family, body) => {
    const reply = await ask({ family, unknownModel: 'invalid_request' }, { model: 'nobody' })
    expect([reply.status, reply.json()]).toEqual([400, body])
  })
})

describe('no name', () => {
  it('is refused where the row needs one, whatever models there are', async () => {
    const reply = await ask({ family: 'messages', modelRequired: true, usecase: 'chat' }, {})
    const error = { type: 'invalid_request_error', message: 'model is required' }
    expect([reply.status, reply.json()]).toEqual([400, { type: 'error', error }])
  })
})
