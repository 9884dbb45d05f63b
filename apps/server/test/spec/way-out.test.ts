import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startFileOrigin, startForwardProxy, startUpstream } from '@svc/test-kit'
import { describe, expect } from 'vitest'
import { stringify } from 'yaml'
import { finishJob, hubPath, mockEntry, WEIGHTS } from '../support/gallery-world.ts'
import { startTestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const PASSWORD = 'hunter-2-hunter-2'

/** Only the proxy knows hosts of `.example`. */
describe('other machines', () => {
  verifies(
    ['service:way-out:proxies', 'service:way-out:credentials', 'service:way-out:this-machine'],
    'are reached through the proxy of the variables: galleries, files and upstreams, but not backends',
    async () => {
      await using proxy = await startForwardProxy({ credentials: `me:${PASSWORD}` })
      await using origin = await startFileOrigin({
        files: { '/index.yaml': Buffer.from(stringify([mockEntry('one')])), [hubPath('one.bin')]: WEIGHTS },
      })
      await using upstream = await startUpstream()
      upstream.replyWith({ body: JSON.stringify({ choices: [{ message: { content: 'hello from afar' } }] }) })
      const { port } = new URL(origin.origin)
      const galleries = JSON.stringify([{ name: 'test', url: `http://gallery.example:${port}/index.yaml` }])
      await using server = await startTestServer({
        flags: [`--galleries=${galleries}`, '--autoload-galleries=false', '--log-level=debug'],
        env: {
          HF_ENDPOINT: `http://hub.example:${port}`,
          HTTP_PROXY: `http://me:${PASSWORD}@127.0.0.1:${proxy.port}`,
          NO_PROXY: 'past.example',
        },
      })
      const { uuid } = (await server.post('/models/apply', { id: 'one' })).json() as { uuid: string }
      expect(await finishJob(server, `/models/jobs/${uuid}`)).toMatchObject({ message: 'completed' })
      expect((await server.chat('one')).status).toBe(200)
      const proxyModel = (host: string) => ({
        name: host,
        backend: 'cloud-proxy',
        known_usecases: ['chat'],
        proxy: { upstream_url: `http://${host}:${upstream.port}/v1` },
      })
      for (const host of ['api.example', 'past.example', '127.0.0.1']) {
        await server.writeModelFile(`${host}.yaml`, stringify(proxyModel(host)))
      }
      expect((await server.chat('api.example')).text).toContain('hello from afar')
      expect((await server.chat('127.0.0.1')).text).toContain('hello from afar')
      expect((await server.chat('past.example')).status).toBe(502)
      const hosts = new Set(proxy.requests.map(({ target }) => new URL(target).hostname))
      expect([...hosts].sort()).toEqual(['api.example', 'gallery.example', 'hub.example'])
      const shown = [server.logLines.join(), (await server.call('/api/settings')).text]
      for (const text of shown) {
        expect(text).not.toContain(PASSWORD)
        expect(text).not.toContain(Buffer.from(`me:${PASSWORD}`).toString('base64'))
      }
    },
  )

  verifies(
    ['service:way-out:proxies', 'service:way-out:credentials'],
    'are reached through the proxy of the settings as soon as they say so',
    async () => {
      await using proxy = await startForwardProxy({ credentials: `me:${PASSWORD}` })
      await using upstream = await startUpstream()
      upstream.replyWith({ body: JSON.stringify({ choices: [{ message: { content: 'hello from afar' } }] }) })
      await using server = await startTestServer()
      await server.writeModelFile(
        'far.yaml',
        stringify({
          name: 'far',
          backend: 'cloud-proxy',
          known_usecases: ['chat'],
          proxy: { upstream_url: `http://api.example:${upstream.port}/v1` },
        }),
      )
      const set = async (http_proxy: string) => (await server.post('/api/settings', { http_proxy })).status
      expect((await server.chat('far')).status).toBe(502)
      expect(await set(`http://me:${PASSWORD}@127.0.0.1:${proxy.port}`)).toBe(200)
      expect((await server.chat('far')).text).toContain('hello from afar')
      expect(await set(`http://me:wrong-${PASSWORD}@127.0.0.1:${proxy.port}`)).toBe(200)
      // An idle connection is still that of the other credentials.
      const refused = await set('socks5://127.0.0.1:1080')
      expect(refused).toBe(400)
      expect((await server.call('/api/settings')).text).not.toContain(PASSWORD)
      expect(await readFile(join(server.configDir, 'runtime_settings.json'), 'utf8')).toContain(PASSWORD)
      expect(server.logLines.join()).not.toContain(PASSWORD)
    },
  )
})
