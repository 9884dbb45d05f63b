import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startTestServer } from '../support/server.ts'

interface ErrorBody {
  error: { code: number | string; message: string; type: string; param: string | null }
}

const CHAT = '/v1/chat/completions'

describe('bad requests', () => {
  // verifies errors:body:unparsable, errors:body:prefix
  it('IN-4: unparsable bodies are 400 with the specified prefix, and never reach a backend', async () => {
    await using server = await startTestServer()
    await server.model('m')
    const bodies = [
      '',
      '{',
      '{"model":"m",}',
      '[1,2]',
      'null',
      '"text"',
      '{"a":NaN}',
      '\ufeff{}',
      '{"a":1} x',
      '{"a":"\u0001"}',
      "{'a':1}",
      '{"model":"m","messages":[{"role":"user","content":"hi"}]}}',
    ]
    for (const body of bodies) {
      const reply = await server.call(CHAT, { method: 'POST', body })
      expect(reply.status, body).toBe(400)
      expect((reply.json() as ErrorBody).error, body).toMatchObject({
        code: 400,
        type: 'invalid_request_error',
        message: expect.stringMatching(/^failed parsing request body: /),
      })
    }
    expect(server.records('m')).toEqual([])
  })

  it('IN-6: bytes that are no UTF-8 are 400', async () => {
    await using server = await startTestServer()
    await server.model('m')
    for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]]) {
      const body = Buffer.concat([
        Buffer.from('{"model":"m","messages":[{"role":"user","content":"'),
        Buffer.from(bytes),
        Buffer.from('"}]}'),
      ])
      expect((await server.call(CHAT, { method: 'POST', body })).status).toBe(400)
    }
  })

  it('IN-2: nesting is cut off at a depth, also at 100,000, and the server lives', async () => {
    await using server = await startTestServer()
    await server.model('m')
    for (const depth of [129, 1000, 100_000]) {
      const body = `{"model":"m","messages":${'['.repeat(depth)}${']'.repeat(depth)}}`
      const reply = await server.call(CHAT, { method: 'POST', body })
      expect(reply.status, String(depth)).toBe(400)
      expect((reply.json() as ErrorBody).error.message).toMatch(/^failed parsing request body: /)
    }
    expect((await server.chat('m')).status).toBe(200)
  })

  it('IN-1: 16 MB are 413, in the envelope', async () => {
    await using server = await startTestServer()
    const reply = await server.call(CHAT, { method: 'POST', body: Buffer.alloc(16 * 1024 * 1024, 0x20) })
    expect(reply.status).toBe(413)
    expect((reply.json() as ErrorBody).error.code).toBe(413)
    expect((await server.call('/healthz')).status).toBe(200)
  })

  it('IN-3: structure bombs are refused while others are served', async () => {
    await using server = await startTestServer()
    await server.model('m')
    const bombs = [
      `{"model":"m","messages":[${'{},'.repeat(4_900_000)}{}]}`,
      `{"model":"m","messages":[${'{},'.repeat(60_000)}{}]}`,
      `{"model":"m","messages":[${'1,'.repeat(7_000_000)}1]}`,
      `{"model":"m","x":{${Array.from({ length: 200_000 }, (_, index) => `"k${index}":1`).join(',')}},"messages":[]}`,
    ]
    for (const bomb of bombs) {
      const bombed = server.call(CHAT, { method: 'POST', body: Buffer.from(bomb) })
      let settled = false
      const done = bombed.then((reply) => {
        settled = true
        return reply.status
      })
      const polls: number[] = []
      while (!settled) polls.push((await server.call('/healthz')).status)
      expect(await done, bomb.slice(0, 40)).toBe(400)
      expect(new Set(polls)).toEqual(new Set([200]))
    }
  })

  // verifies errors:status:bad-request
  it('IN-5: a wrong type or a number out of range names the field, and never reaches a backend', async () => {
    await using server = await startTestServer()
    await server.model('m')
    const good = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }
    const wrong: [Record<string, unknown>, string][] = [
      [{ messages: 7 }, 'messages'],
      [{ messages: [] }, 'messages'],
      [{ messages: [{ role: 'robot', content: 'x' }] }, 'messages[0].role'],
      [{ messages: [{ role: 'user', content: 5 }] }, 'messages[0].content'],
      [{ model: {} }, 'model'],
      [{ stream: 'yes' }, 'stream'],
      [{ stop: 5 }, 'stop'],
      [{ max_tokens: -2 }, 'max_tokens'],
      [{ temperature: -0.5 }, 'temperature'],
      [{ top_p: 2 }, 'top_p'],
      [{ n: 0 }, 'n'],
      [{ seed: 1.5 }, 'seed'],
      [{ response_format: [] }, 'response_format'],
      [{ stop: Array.from({ length: 200 }, () => 'x') }, 'stop'],
      [{ stop: 'x'.repeat(5000) }, 'stop'],
      [{ logit_bias: { a: 1 } }, 'logit_bias'],
    ]
    for (const [fields, param] of wrong) {
      const reply = await server.post(CHAT, { ...good, ...fields })
      expect(reply.status, JSON.stringify(fields)).toBe(400)
      expect((reply.json() as ErrorBody).error.param, JSON.stringify(fields)).toMatch(
        new RegExp(`^${param.replace(/[[\]]/g, '\\$&')}`),
      )
    }
    for (const number of ['1e400', '-1e400']) {
      const body = `{"model":"m","messages":[{"role":"user","content":"hi"}],"temperature":${number}}`
      expect((await server.call(CHAT, { method: 'POST', body })).status).toBe(400)
    }
    expect(server.records('m')).toEqual([])
  })

  it('IN-8: keys named like prototypes have no effect, and the last of two equal keys counts', async () => {
    await using server = await startTestServer()
    await server.model('m')
    const body =
      '{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}},"model":"nobody","model":"m","messages":[{"role":"user","content":"hi","__proto__":{"x":1}}]}'
    expect((await server.call(CHAT, { method: 'POST', body })).status).toBe(200)
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })

  // verifies errors:status:model-not-found
  it('an unknown model is 404 model_not_found; a request without a model is 400 when no model serves the usecase', async () => {
    await using server = await startTestServer()
    const unknown = await server.chat('nobody')
    expect(unknown.status).toBe(404)
    expect(unknown.json()).toEqual({
      error: {
        code: 'model_not_found',
        message: 'model "nobody" not found. To see available models, call GET /v1/models',
        type: 'invalid_request_error',
        param: 'model',
      },
    })
    expect((await server.post(CHAT, { messages: [{ role: 'user', content: 'x' }] })).status).toBe(400)
  })

  it('a model whose file has a fault is 404 with file, line and fault', async () => {
    await using server = await startTestServer()
    for (const [name, file] of [
      ['broken', 'broken.yaml'],
      ['my broken', 'my%20broken.yml'],
    ] as const) {
      await writeFile(join(server.modelsPath, file), `name: ${name}\nbackend: llama\ncontext_size: plenty\n`)
      const refused = (await server.chat(name)).json() as ErrorBody
      expect(refused.error).toMatchObject({ code: 'model_not_found', param: 'model' })
      expect(refused.error.message).toBe(
        `model "${name}" not found, as its file cannot be used (${file}:3: context_size: expected a whole number, found text). To see available models, call GET /v1/models`,
      )
    }
  })

  it('NAME-1: no spelling of a name leaves the models folder', async () => {
    await using server = await startTestServer()
    await writeFile(join(server.folder, 'outside.yaml'), 'name: outside\nbackend: mock\n')
    const names = [
      '../outside',
      '..%2foutside',
      '/etc/passwd',
      'a\u0000b',
      '..\\outside',
      '.',
      '..',
      '-flag',
      'x'.repeat(300),
      'CON',
      'a\u202eb',
      '../outside.yaml',
    ]
    for (const name of names) expect([400, 404], name).toContain((await server.chat(name)).status)
  })

  it('names the first model of the usecase when the request names none', async () => {
    await using server = await startTestServer()
    await server.model('b')
    await server.model('a', {}, { disabled: true })
    expect((await server.post(CHAT, { messages: [{ role: 'user', content: 'x' }] })).json()).toMatchObject({
      model: 'b',
    })
  })

  // verifies request:order:disabled-model
  it('a disabled model is 403, an alias answers under its own name, a broken alias is 400', async () => {
    await using server = await startTestServer()
    await server.model('off', {}, { disabled: true })
    await server.model('m')
    await server.writeModelFile('short.yaml', 'name: short\nalias: m\n')
    await server.writeModelFile('broken.yaml', 'name: broken\nalias: nobody\n')
    const off = await server.chat('off')
    expect([off.status, (off.json() as ErrorBody).error.type]).toEqual([403, 'model_disabled'])
    expect((await server.chat('short')).json()).toMatchObject({ model: 'short' })
    expect((await server.chat('broken')).status).toBe(400)
  })

  // verifies chat:media:no-modality
  it('refuses unsupported fields instead of ignoring them', async () => {
    await using server = await startTestServer()
    await server.model('m')
    const image = {
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] }],
    }
    const media = await server.chat('m', image)
    expect([media.status, (media.json() as ErrorBody).error.param]).toEqual([400, 'messages[0].content[0]'])
  })
})
