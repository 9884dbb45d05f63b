import { findCanariesInValues, makeCanary } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { stringify } from 'yaml'
import { startTestServer } from '../support/server.ts'

it('keys are never shown by the settings and the state of the middleware, wherever they were given', async () => {
  const plain = { plain: true } as const
  const keys = {
    variable: makeCanary('variable', plain),
    flag: makeCanary('flag', plain),
    file: makeCanary('file', plain),
    saved: makeCanary('saved', plain),
    posted: makeCanary('posted', plain),
    address: makeCanary('address', plain),
    detector: makeCanary('detector', plain),
  }
  await using server = await startTestServer({
    env: { SVC_API_KEY: keys.variable.value },
    flags: [`--api-keys=${keys.flag.value}`],
    configFiles: {
      'api_keys.json': JSON.stringify([keys.file.value]),
      'runtime_settings.json': JSON.stringify({ api_keys: [keys.saved.value] }),
    },
  })
  const headers = { 'x-api-key': keys.saved.value }
  await server.writeModelFile(
    'far.yaml',
    stringify({
      name: 'far',
      backend: 'cloud-proxy',
      proxy: { upstream_url: `http://127.0.0.1:9/v1?key=${keys.address.value}`, api_key_env: 'NOT_SET' },
      mitm: { hosts: ['models.example'] },
      pii: { enabled: true, detectors: ['secrets'] },
    }),
  )
  await server.writeModelFile(
    'secrets.yaml',
    stringify({
      name: 'secrets',
      backend: 'pattern',
      pii_detection: {
        patterns: [{ name: 'OURS', match: keys.detector.value }],
        protected_terms: [keys.detector.value],
      },
    }),
  )
  expect(
    (await server.post('/api/settings', { api_keys: [keys.posted.value, keys.saved.value] }, headers)).status,
  ).toBe(200)
  for (const page of ['/api/settings', '/api/middleware/status']) {
    const reply = await server.call(page, { headers })
    expect([page, reply.status]).toEqual([page, 200])
    expect(reply.text.length).toBeGreaterThan(50)
    expect([page, findCanariesInValues([reply.text, JSON.stringify(reply.headers)], Object.values(keys))]).toEqual([
      page,
      [],
    ])
  }
  // The settings still show that there are keys, because an empty list would mean an open server.
  const { api_keys: shown } = (await server.call('/api/settings', { headers })).json() as { api_keys: unknown[] }
  expect(shown).toHaveLength(4)
})
