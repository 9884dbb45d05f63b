import { usageReply, usageView } from '@svc/wire/native'
import { describe, expect, it } from 'vitest'
import { createPeople } from '../support/people.ts'
import { modelForAllRoutes } from '../support/route-bodies.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const as = (name: string) => ({ authorization: `Bearer ${name}` })

async function view(server: TestServer, path: string, headers: Record<string, string> = {}) {
  const reply = await server.call(path, { headers })
  expect(reply.status, reply.text).toBe(200)
  return usageView.parse(reply.json())
}

describe('views of usage', () => {
  it('have the figures of the reports to the token, sums by model, and who asks', async () => {
    await using server = await startTestServer({ authenticator: createPeople(() => ({})) })
    await modelForAllRoutes(server, 'm')
    await modelForAllRoutes(server, 'n')
    for (const [who, model] of [
      ['ada', 'm'],
      ['ada', 'n'],
      ['ada', 'n'],
      ['bob', 'm'],
    ] as const)
      expect((await server.chat(model, {}, as(who))).status).toBe(200)
    const own = await view(server, '/api/usage?period=day', as('ada'))
    const report = usageReply.parse((await server.call('/api/auth/usage?period=day', { headers: as('ada') })).json())
    expect([own.usage, own.totals]).toEqual([report.usage, report.totals])
    expect(own.by_model.map(({ model, total_tokens, request_count }) => [model, total_tokens, request_count])).toEqual([
      ['n', 16, 2],
      ['m', 8, 1],
    ])
    expect(own.viewer).toEqual({ id: 'ada', name: 'ada', role: 'user', provider: 'local' })
    expect((await server.call('/api/usage/all', { headers: as('ada') })).status).toBe(403)
    const all = await view(server, '/api/usage/all', as('root'))
    expect([all.totals.total_tokens, all.viewer.role]).toEqual([32, 'admin'])
    const table = await server.call('/api/usage/all?format=csv', { headers: as('root') })
    expect(table.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="usage.csv"',
    })
    const [head, ...rows] = table.text.trimEnd().split('\r\n')
    expect(head).toBe(
      'bucket,model,user_id,user_name,source,api_key_id,api_key_name,prompt_tokens,completion_tokens,total_tokens,request_count,cached_tokens,reasoning_tokens,estimated_tokens,estimated_request_count,media_seconds,spoken_characters,images,cache_write_tokens,unpriced_request_count,cost,currency',
    )
    expect(rows).toHaveLength(all.usage.length)
    expect(rows.reduce((sum, row) => sum + Number(row.split(',')[9]), 0)).toBe(32)
  })

  it('work without accounts, for the local user', async () => {
    await using server = await startTestServer()
    await modelForAllRoutes(server)
    await server.chat('m')
    for (const path of ['/api/usage', '/api/usage/all']) {
      const shown = await view(server, path)
      expect([shown.totals.total_tokens, shown.viewer.name, shown.viewer.role]).toEqual([8, 'Local', 'admin'])
    }
  })

  it('are refused while nothing is recorded', async () => {
    await using server = await startTestServer({ flags: ['--disable-stats'] })
    await modelForAllRoutes(server)
    expect((await server.chat('m')).status).toBe(200)
    for (const path of ['/api/usage', '/api/usage/all', '/api/auth/usage', '/api/auth/admin/usage/sources']) {
      const reply = await server.call(path)
      expect([reply.status, reply.json()]).toEqual([503, { error: 'usage tracking is disabled (--disable-stats)' }])
    }
  })
})
