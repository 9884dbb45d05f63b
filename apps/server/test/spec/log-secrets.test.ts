import { findCanariesInValues, makeCanary } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { startTestServer } from '../support/server.ts'

describe('LOG-2: secrets that must never reach the log', () => {
  it('keys, prompts, replies and settings stay out, at the finest level and through every kind of failure', async () => {
    const canaries = {
      key: makeCanary('key', { plain: true }),
      wrong: makeCanary('wrong', { plain: true }),
      prompt: makeCanary('prompt'),
      reply: makeCanary('reply'),
      saved: makeCanary('saved', { plain: true }),
    }
    await using server = await startTestServer({
      env: { SVC_API_KEY: canaries.key.value },
      flags: ['--log-level=trace'],
    })
    const auth = { authorization: `Bearer ${canaries.key.value}` }
    await server.model('m', {
      rules: [
        { rpc: 'Predict', call: 2, do: { failure: { status: 'INTERNAL', message: 'broke' } } },
        { rpc: 'Predict*', do: { text: canaries.reply.value } },
      ],
    })
    const messages = [{ role: 'user', content: canaries.prompt.value }]
    const post = (body: unknown, headers: Record<string, string> = auth) =>
      server.post('/v1/chat/completions', body, headers)
    expect((await post({ model: 'm', messages })).json()).toMatchObject({
      choices: [{ message: { content: canaries.reply.value } }],
    })
    expect((await post({ model: 'm', messages })).status).toBe(500)
    expect((await post({ model: 'm', messages, stream: true })).text).toContain('[DONE]')
    expect((await post({ model: 'm', messages, temperature: canaries.prompt.value })).status).toBe(400)
    expect((await post({ model: canaries.key.value, messages })).status).toBe(404)
    expect((await post({ model: 'm', messages }, { 'x-api-key': canaries.wrong.value })).status).toBe(401)
    expect(
      (await server.call(`/v1/models/${canaries.wrong.value}`, { headers: { cookie: `token=${canaries.key.value}` } }))
        .status,
    ).toBe(404)
    expect((await server.post('/api/settings', { api_keys: [canaries.saved.value] }, auth)).status).toBe(200)
    expect((await server.call('/api/settings', { headers: { 'x-api-key': canaries.saved.value } })).text).not.toContain(
      canaries.saved.value,
    )
    expect(server.logLines.length).toBeGreaterThan(5)
    expect(findCanariesInValues(server.logLines, Object.values(canaries))).toEqual([])
    const metrics = await server.call('/metrics', { headers: auth })
    expect(findCanariesInValues([metrics.text], Object.values(canaries))).toEqual([])
  })
})
