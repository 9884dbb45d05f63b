import { middlewareStatus } from '@svc/wire/native'
import { describe, expect } from 'vitest'
import { startPiiWorld } from '../support/pii-world.ts'
import { verifies } from './verifies.ts'

describe('GET /api/middleware/status', () => {
  verifies(
    'middleware-status:route:read',
    'shows the detectors of each model, and the load of models with a limit',
    async () => {
      await using world = await startPiiWorld({ env: { SVC_PII_DEFAULT_DETECTORS: 'ner,gone' } })
      await world.ner('ner')
      await world.patterns('tickets', { TICKET: 'tick-[0-9]{4}' })
      await world.server.model('own', {}, { pii: { enabled: true, detectors: ['tickets', 'lost'] }, max_concurrent: 3 })
      await world.server.model('plain')
      await world.far('far')
      await world.server.post('/api/pii/redact', { text: 'ada@host.example', detectors: ['ner'] })
      const { pii, admission, router, mitm } = middlewareStatus.parse(
        (await world.server.call('/api/middleware/status')).json(),
      )
      const facts = { default_for_backend: false, explicit: false, enabled: false, detectors_from_default: true }
      expect(pii).toEqual({
        enabled_globally: true,
        default_enabled_for_backends: ['cloud-proxy'],
        default_detectors: ['ner', 'gone'],
        recent_event_count: 1,
        models: expect.arrayContaining([
          {
            ...facts,
            name: 'own',
            backend: 'mock',
            enabled: true,
            explicit: true,
            detectors: ['tickets', 'lost'],
            detectors_from_default: false,
          },
          { ...facts, name: 'plain', backend: 'mock', detectors: ['ner', 'gone'] },
          {
            ...facts,
            name: 'far',
            backend: 'cloud-proxy',
            enabled: true,
            default_for_backend: true,
            detectors: ['ner', 'gone'],
          },
        ]),
        detector_models: expect.arrayContaining([
          { name: 'ner', backend: 'mock', type: 'ner', default: true },
          { name: 'tickets', backend: 'pattern', type: 'pattern', default: false },
          { name: 'gone', backend: '', type: 'unknown', default: true, missing: true },
          { name: 'lost', backend: '', type: 'unknown', default: false, missing: true },
        ]),
      })
      expect(admission.models).toEqual([
        { name: 'own', max_concurrent: 3, retry_after_seconds: expect.any(Number), in_flight: 0 },
      ])
      expect([router.configured, router.models, mitm.models, mitm.running]).toEqual([false, [], [], false])
    },
  )
  verifies('middleware-status:route:read', 'shows the routers and the hosts that model files describe', async () => {
    await using world = await startPiiWorld()
    const policies = [{ label: 'code', description: 'Asks for a program' }]
    const candidates = [
      { model: 'small', labels: [] },
      { model: 'large', labels: ['code'] },
    ]
    const router = { policies, candidates, fallback: 'small', classifier_model: 'judge' }
    await world.server.model('route', {}, { router })
    await world.far('near', { mitm: { hosts: ['API.one.example', 'api.one.example'] } })
    await world.far('other', { mitm: { hosts: ['api.one.example', 'api.two.example'] }, pii: { enabled: false } })
    const status = middlewareStatus.parse((await world.server.call('/api/middleware/status')).json())
    expect(status.router).toMatchObject({
      configured: true,
      models: [{ name: 'route', classifier: 'score', policies, candidates, fallback: 'small' }],
      recent_decision_count: 0,
      available_classifiers: ['score', 'colbert', 'knn', 'decisions'],
    })
    expect((await world.server.call('/api/router/status')).json()).toEqual(status.router)
    const known = ['chat/completions', 'messages', 'responses', 'completions', 'embeddings', 'messages/count_tokens']
    const unread = {
      detectors: [],
      filtered: false,
      scanned_paths: [],
      unread_paths: known.map((path) => `/v1/${path}`),
    }
    expect(status.mitm).toEqual({
      running: false,
      listen_addr: '',
      configured_addr: '',
      hosts: [
        { host: 'api.one.example', models: ['near', 'other'], ...unread },
        { host: 'api.two.example', models: ['other'], ...unread },
      ],
      host_owners: { 'api.one.example': 'near', 'api.two.example': 'other' },
      host_conflicts: [{ host: 'api.one.example', models: ['near', 'other'] }],
      models: [
        { name: 'near', hosts: ['api.one.example'], pii_enabled: true, backend: 'cloud-proxy' },
        { name: 'other', hosts: ['api.one.example', 'api.two.example'], pii_enabled: false, backend: 'cloud-proxy' },
      ],
      ca_available: false,
      ca_cert_url: '',
    })
  })
})
