import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({
    configFiles: {
      'prices.yaml': '# ours\nrates: { EUR: 1.08 }\nprices:\n  - { model: "a*", input: 2.5, currency: EUR }\n',
    },
  })
  await server.model('a-model')
  await server.model('own', {}, { pricing: { compute_second: 0.25 } })
  await server.model('nameless')
})
afterAll(() => server?.close())

const put = (body: unknown, headers: Record<string, string> = {}) =>
  server.call('/api/prices', {
    method: 'PUT',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })

describe('the price list over the API', () => {
  it('has every price, and says what each model costs', async () => {
    const reply = await server.call('/api/prices')
    expect(reply.json()).toMatchObject({
      currency: 'USD',
      rates: { EUR: '1.08' },
      prices: [{ model: 'a*', input: '2.5', currency: 'EUR', line: 4 }],
      models: [
        { model: 'a-model', origin: 'list', line: 4, price: { model: 'a*', input: '2.5' } },
        { model: 'own', origin: 'model', price: { compute_second: '0.25' } },
      ],
      unpriced: expect.arrayContaining(['nameless']),
      problems: [],
    })
    expect(reply.headers.etag).toMatch(/^"\w+"$/)
  })

  it('is replaced as a whole, exactly, and in use at once', async () => {
    const before = (await server.call('/api/prices')).headers.etag as string
    const list = {
      currency: 'CHF',
      rates: { USD: '0.900000000001' },
      prices: [
        { model: 'nameless', input: 0.1, output: '0.000000000001', from: '2026-01-01' },
        { model: 'nameless', input: 1e-7, output: 0 },
        { upstream: 'api.example.org', request: 1, currency: 'USD' },
      ],
    }
    const reply = await put(list, { 'if-match': before })
    expect(reply.status).toBe(200)
    expect(reply.json()).toMatchObject({
      currency: 'CHF',
      prices: [
        { model: 'nameless', input: '0.1', output: '0.000000000001', from: '2026-01-01' },
        { input: '1e-7', output: '0' },
        { upstream: 'api.example.org', request: '1', currency: 'USD' },
      ],
      unpriced: ['a-model'],
    })
    const again = await put(list, { 'if-match': before })
    expect([again.status, again.json()]).toEqual([412, expect.objectContaining({ error: expect.anything() })])
    expect(await readFile(join(server.configDir, 'prices.yaml'), 'utf8')).toContain('output: 0.000000000001')
  })

  it.each([
    [{ prices: [{ model: 'm', input: -1 }] }, /input/],
    [{ prices: [{ model: 'm', input: 'x' }] }, /prices\[0\]\.input: must be a decimal number/],
    [{ prices: [{ model: 'm', inptu: 1 }] }, /inptu/],
    [{ prices: [{ model: 'm' }] }, /prices\[0\]: has no price/],
    [{ prices: [{ model: 'm"\n    output: 7', upstream: 'a b', input: 1 }] }, /prices\[0\]\.upstream/],
    [
      {
        prices: [
          { model: 'm', input: 1 },
          { model: 'm', input: 2 },
        ],
      },
      /the same model, upstream and from/,
    ],
    [{ currency: 'USD' }, /prices/],
    [{ currency: 'US', prices: [] }, /currency: must be the code/],
  ])('with a fault changes nothing: %j', async (body, message) => {
    const before = (await server.call('/api/prices')).text
    const reply = await put(body)
    expect([reply.status, reply.text]).toEqual([400, expect.stringMatching(message)])
    expect((await server.call('/api/prices')).text).toBe(before)
  })

  it('shows the faults of the file, whose last good content stays in use', async () => {
    const before = (await server.call('/api/prices')).json() as { prices: unknown[] }
    await writeFile(join(server.configDir, 'prices.yaml'), 'prices:\n  - { model: m, input: much }\n')
    await expect
      .poll(async () => ((await server.call('/api/prices')).json() as { problems: unknown[] }).problems)
      .toEqual([{ line: 2, key: 'prices[0].input', message: expect.stringMatching(/decimal number/) }])
    const after = (await server.call('/api/prices')).json() as { prices: unknown[] }
    expect(after.prices).toEqual(before.prices)
  })
})
