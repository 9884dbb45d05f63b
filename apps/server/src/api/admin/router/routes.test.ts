import { createDecisionLog } from '@svc/router'
import { createDeferred, eventually } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { startTestApp } from '../../../../test/support/test-app.ts'
import { createBodyReader } from '../../../http/body.ts'
import type { RouterAdmin } from '../../../routing/router-admin.ts'
import { routerRoutes } from './routes.ts'

it.each([
  ['/api/router/decide', { router: 'auto', input: 'x'.repeat(5000) }],
  ['/api/router/auto/corpus', { entries: [{ text: 'x'.repeat(5000), labels: ['code'] }] }],
])('%s counts its body as held until the work on its texts has ended', async (path, body) => {
  const bodies = createBodyReader({ maxBytes: 8000, idleMs: 30_000, totalBytes: 8000 })
  const model = createDeferred<never>()
  const admin: RouterAdmin = {
    list: async () => [],
    decide: () => model.promise,
    addEntries: () => model.promise,
    readCorpus: () => model.promise,
    clearCorpus: () => model.promise,
  }
  const open = async () => ({ admin, decisions: createDecisionLog() })
  await using app = await startTestApp(routerRoutes({ open, bodies }))
  const send = () => app.call(path, { method: 'POST', body: JSON.stringify(body) })
  const waiting = send()
  await eventually(() => expect(bodies.heldBytes).toBeGreaterThan(5000))
  expect((await send()).status).toBe(503)
  model.reject(new Error('the model is gone'))
  expect((await waiting).status).toBe(500)
  expect(bodies.heldBytes).toBe(0)
})
