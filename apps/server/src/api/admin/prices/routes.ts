import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import type { BodyReader } from '../../../http/body.ts'
import type { Call } from '../../../http/call.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { Clock } from '../../../ports.ts'
import type { OpenPrices } from '../../../spend/prices.ts'
import { formatPriceList } from '../../../spend/write-price-list.ts'
import { readJsonBody } from '../../read-json-body.ts'
import { describePrices } from './describe.ts'

const wire = () => import('@svc/wire/native')

/** Parts of the routes of prices. */
export interface PriceRouteParts {
  readonly prices: OpenPrices
  readonly listModels: () => readonly ModelConfig[]
  readonly bodies: BodyReader
  readonly clock: Pick<Clock, 'now'>
}

/** The longest text that a price list may have over the API, bytes. */
const MAX_BODY_BYTES = 1024 * 1024

/** `GET` and `PUT /api/prices`: the price list and what it says of the models. */
export function priceRoutes(parts: PriceRouteParts): Route[] {
  const { prices, bodies } = parts
  const shared = { path: '/api/prices', access: 'admin', family: 'flat', tag: 'usage' } as const
  const show = (): HttpReply =>
    json(describePrices(prices, { models: parts.listModels(), now: parts.clock.now() }), {
      headers: { etag: `"${prices.file.version}"`, 'cache-control': 'no-store' },
    })
  const schema = async () => (await wire()).priceListReply
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      summary: 'The price list, and the price of each model now',
      responses: { 200: { description: 'The list in use; its version is the ETag.', schema } },
      handler: show,
    }),
    defineRoute({
      ...shared,
      method: 'PUT',
      summary: 'Replace the price list',
      audit: { change: 'price.change' },
      body: async () => (await wire()).priceListRequest,
      responses: { 200: { description: 'Written and in use. With `If-Match`, only over that version.', schema } },
      async handler(call) {
        const body = await readJsonBody(call, (await wire()).priceListRequest, bodies, { maxBytes: MAX_BODY_BYTES })
        const text = formatPriceList(body)
        await checkList(text)
        await call.confirm()
        await prices.file.replace(text, readMatch(call))
        call.noteChange({ details: `${body.prices.length} prices` })
        return show()
      },
    }),
  ]
}

/** @throws {SvcError} `invalid_request`, code `invalid_prices`, with the key of the first fault */
async function checkList(text: string): Promise<void> {
  const { readPriceList } = await import('../../../spend/price-list.ts')
  const reading = readPriceList(text)
  if (reading.ok) return
  const [first] = reading.problems
  const sentences = reading.problems
    .slice(0, 10)
    .map(({ key, reason }) => (key === undefined ? reason : `${key}: ${reason}`))
  throw new SvcError('invalid_request', sentences.join('; '), {
    code: 'invalid_prices',
    details: first?.key === undefined ? {} : { param: first.key },
  })
}

/** The version that a caller has read; undefined replaces any. */
function readMatch({ incoming }: Call): string | undefined {
  const given = incoming.headers['if-match']?.trim()
  if (given === undefined || given === '*') return undefined
  return given.replace(/^W\//, '').replace(/^"(.*)"$/, '$1')
}
