import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INSTRUCTIONS } from '../../src/api/admin/discovery/instruction-texts.ts'
import { startPiiWorld } from '../support/pii-world.ts'
import { modelForAllRoutes } from '../support/route-bodies.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let world: Awaited<ReturnType<typeof startPiiWorld>>
let server: TestServer
beforeAll(async () => {
  world = await startPiiWorld()
  server = world.server
  await modelForAllRoutes(server, 'demo')
  await world.patterns('secrets', { MAIL: 'ada@site[.]example' })
})
afterAll(() => world[Symbol.asyncDispose]())

/** A request as curl would send it. */
interface Example {
  readonly url: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
}

/** Reads a command of curl with `-X`, `-H`, `-d` and `-o`. */
function readCurl(command: string): Example {
  const words = [...command.replaceAll('\\\n', ' ').matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, bare]) => quoted ?? bare ?? '',
  )
  const headers: Record<string, string> = {}
  let [url, method, body]: (string | undefined)[] = []
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index] ?? ''
    const value = words[index + 1] ?? ''
    if (word === '-X') method = value
    else if (word === '-d') body = value
    else if (word === '-H') headers[value.slice(0, value.indexOf(':'))] = value.slice(value.indexOf(':') + 1).trim()
    else if (!word.startsWith('-')) url = word
    else if (word !== '-o') throw new Error(`${word} is not known here`)
    if (word.startsWith('-')) index += 1
  }
  return { url: url ?? '', method: method ?? (body === undefined ? 'GET' : 'POST'), headers, body }
}

const readExamples = (markdown: string): Example[] =>
  [...markdown.matchAll(/```sh\n(curl[\s\S]*?)\n```/g)].map(([, command = '']) => readCurl(command))

describe('the pages of the API', () => {
  it.each(INSTRUCTIONS.map(({ name }) => name))(
    '%s: every example works, and every route in it is served',
    async (name) => {
      const page = await server.call(`/api/instructions/${name}`)
      expect(page.status).toBe(200)
      expect(page.text).not.toContain('{base_url}')
      const examples = readExamples(page.text)
      // A public server cannot be asked from here, and interception needs a listener.
      if (name !== 'cors-proxy' && name !== 'interception') expect(examples.length).toBeGreaterThan(0)
      for (const { url, method, headers, body } of examples) {
        const { pathname, search, origin } = new URL(url)
        expect(origin).toBe(new URL(server.url).origin)
        const reply = await server.call(`${pathname}${search}`, {
          method,
          headers,
          ...(body === undefined ? {} : { body }),
        })
        expect([url, [200, 201].includes(reply.status), reply.text]).toEqual([url, true, reply.text])
      }
      const served = new Set(
        server.server.routes.map((route) =>
          route.path.replaceAll('{.+}', '').replace(/:\w+/g, '{}').replace(/\*$/, '{}'),
        ),
      )
      for (const [, path = ''] of page.text.matchAll(/`(?:GET |POST )?(\/[\w/{}-]+)`/g))
        expect([...served], path).toContain(path.replace(/\{\w+\}/g, '{}'))
    },
  )

  it('have a part of the OpenAPI document each, with routes', async () => {
    for (const { name, tags } of INSTRUCTIONS) {
      const page = (await server.call(`/api/instructions/${name}?format=json`)).json() as {
        tags: string[]
        swagger_fragment: { paths: object }
      }
      expect(page.tags).toEqual(tags)
      expect(Object.keys(page.swagger_fragment.paths).length, name).toBeGreaterThan(0)
    }
  })

  it('cover the tags of all routes', () => {
    const covered = new Set(INSTRUCTIONS.flatMap(({ tags }) => tags))
    const tags = new Set(server.server.routes.map(({ tag }) => tag))
    // The pages themselves, the documentation and the pages of the interface.
    for (const own of ['discovery', 'documentation', 'pages']) tags.delete(own)
    expect([...tags].filter((tag) => !covered.has(tag))).toEqual([])
  })
})

describe('what programs find', () => {
  // verifies access:user:features
  it('the features are those that are served', async () => {
    const reply = await server.call('/api/features')
    expect([reply.status, reply.json()]).toEqual([
      200,
      expect.objectContaining({
        agents: true,
        mcp: true,
        fine_tuning: false,
        quantization: false,
        distributed: false,
        localai_assistant: true,
        p2p: false,
        accounts: false,
        router: true,
        interception: true,
        traces: true,
        model_gallery: true,
        runtime_settings: true,
        chat: true,
        embeddings: true,
        images: true,
        video: true,
        detection: true,
        audio_transcription: true,
        audio_speech: true,
        audio_diarization: true,
        audio_classification: true,
        sound: true,
        vad: true,
        pii_filter: true,
      }),
    ])
    // Nothing else is among them.
    expect([...new Set(Object.values(reply.json() as object).map((value) => typeof value))]).toEqual(['boolean'])
    await using closed = await startTestServer({
      flags: ['--auth-enabled', '--api-keys=k', '--disable-gallery-endpoint', '--federated'],
    })
    const features = await closed.call('/api/features', { headers: { authorization: 'Bearer k' } })
    expect(features.json()).toMatchObject({ accounts: true, model_gallery: false, p2p: true })
  })

  it('the discovery document names served routes only, those of traces and logs among them', async () => {
    const document = (await server.call('/.well-known/service.json')).json() as {
      endpoint_groups: Record<string, Record<string, string>>
      capabilities: Record<string, boolean>
    }
    expect(document.capabilities).toMatchObject({ tracing: true, agents: true, p2p: true })
    expect(document.endpoint_groups.monitoring).toMatchObject({
      traces_summary: '/api/traces/summary',
      trace: '/api/traces/:id',
      backend_logs_model: '/api/backend-logs/:model',
      backend_logs_ws: '/ws/backend-logs/:model',
    })
    expect(document.endpoint_groups.p2p).toEqual({ nodes: '/api/p2p', token: '/api/p2p/token' })
  })
})
