import { readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MockScript } from '@svc/backend-mock/script'
import { eventually } from '@svc/test-kit'
import type { SlotSaveReply } from '@svc/wire/native'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPeople } from '../support/people.ts'
import { SAVED_ID, writeSavedState } from '../support/saved-state.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const SAVE = '/v1/slots/save'
const RESTORE = '/v1/slots/restore'
const ROOT = { authorization: 'Bearer root' }
const KEYS = { slot_save_path: 'slots' }

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ authenticator: createPeople(), flags: ['--auth-enabled', '--auth-rate-limit=0'] })
})
afterAll(() => server.close())

const post = async (path: string, body: unknown) => server.post(path, body, ROOT)
const refusal = (status: number, message: unknown, extra: object = {}) => [
  status,
  { error: expect.objectContaining({ message, ...extra }) },
]
const ask = async (path: string, body: unknown) => {
  const reply = await post(path, body)
  return [reply.status, reply.json()]
}
/** The names in the folder of a model's states. */
const listStates = async (model: string): Promise<string[]> =>
  readdir(join(server.modelsPath, 'slots', model)).catch(() => [])

/** Scripts of the models: each is loaded once. */
const SCRIPTS: Readonly<Record<string, MockScript>> = {
  m: {},
  other: {},
  off: { rules: [{ rpc: 'SaveSlot', do: { failure: { status: 'FAILED_PRECONDITION', message: 'off' } } }] },
  none: { without: ['SaveSlot', 'RestoreSlot'] },
  large: { slotBytes: 8_589_934_593 },
  slow: { rules: [{ rpc: 'SaveSlot', do: { delayMs: 600_000 } }] },
}
beforeAll(async () => {
  for (const [name, script] of Object.entries(SCRIPTS)) await server.model(name, script, KEYS)
})

async function save(model: string, slot = 0): Promise<SlotSaveReply> {
  const reply = await post(SAVE, { model, slot })
  expect(reply.status, reply.text).toBe(200)
  return reply.json() as SlotSaveReply
}

describe('a slot', () => {
  // verifies slots:route:save-restore, slots:body:id, model-file:slots:enabled
  it('is saved under an id of 32 hexadecimal digits, and restored by it into any slot', async () => {
    const model = 'm'
    await server.chat(model, {}, ROOT)
    const saved = await save(model)
    expect(saved).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      model,
      slot: 0,
      n_saved: expect.any(Number),
      bytes: expect.any(Number),
      ms: 1,
    })
    expect(saved.n_saved).toBeGreaterThan(0)
    const folder = join(server.modelsPath, 'slots', model, saved.id)
    expect((await readdir(folder)).sort()).toEqual([`${saved.id}.slot`, 'record.json'])
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    expect(JSON.parse(await readFile(join(folder, 'record.json'), 'utf8'))).toEqual({
      id: saved.id,
      model,
      file: `${saved.id}.slot`,
      size: saved.bytes,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      mtime: expect.any(String),
      tokens: saved.n_saved,
    })
    const { id, n_saved, bytes } = saved
    expect(await ask(RESTORE, { model, slot: 3, id })).toEqual([
      200,
      { id, model, slot: 3, n_restored: n_saved, bytes, ms: 1 },
    ])
    const sent = server.records(model).find(({ rpc, event }) => rpc === 'RestoreSlot' && event === 'start')
    expect(sent?.request).toMatchObject({ modelIdentity: `${model}.bin`, slot: 3 })
  })

  // verifies slots:saved:audit
  it('leaves an entry of its model in the audit log', async () => {
    const model = 'other'
    const { id } = await save(model)
    await post(RESTORE, { model, slot: 0, id })
    await eventually(async () => {
      const reply = await server.call('/api/pii/events?kind=administration', { headers: ROOT })
      const { events } = reply.json() as { events: { change?: string; target?: string }[] }
      const own = events.filter(({ target }) => target === model).map(({ change }) => change)
      expect(own.sort()).toEqual(['slot.restore', 'slot.save'])
    })
  })
})

describe('a request with a mistake', () => {
  const id = SAVED_ID
  it.each<[string, string, object, unknown]>([
    // verifies slots:error:bad-id
    ['a short id', RESTORE, { slot: 0, id: 'abc' }, /id: .*32 lower-case hexadecimal/],
    ['an id in capitals', RESTORE, { slot: 0, id: id.toUpperCase() }, /id: /],
    ['a path for an id', RESTORE, { slot: 0, id: `../${id.slice(3)}` }, /id: /],
    ['an id with a line end', RESTORE, { slot: 0, id: `${id}\n` }, /id: /],
    ['no id', RESTORE, { slot: 0 }, /id: /],
    ['a number for an id', RESTORE, { slot: 0, id: 7 }, /id: /],
    // verifies slots:error:id-on-save
    ['an id on save', SAVE, { slot: 0, id }, /id: .*the server makes it/],
    ['an empty id on save', SAVE, { slot: 0, id: '' }, /id: /],
    // verifies slots:error:negative, slots:body:number
    ['a negative slot on save', SAVE, { slot: -1 }, /slot: /],
    ['a negative slot on restore', RESTORE, { slot: -1, id }, /slot: /],
    ['half a slot', SAVE, { slot: 0.5 }, /slot: /],
    ['a slot over the contract', SAVE, { slot: 2 ** 31 }, /slot: /],
    ['a text for a slot', SAVE, { slot: '0' }, /slot: /],
    ['no slot', SAVE, {}, /slot: /],
  ])('is 400: %s', async (_, path, body, message) => {
    expect(await ask(path, { model: 'm', ...body })).toEqual(refusal(400, expect.stringMatching(message as RegExp)))
  })

  // verifies slots:error:no-model
  it('is 400 for an unknown model, and for none', async () => {
    for (const [path, body] of [
      [SAVE, { slot: 0 }],
      [RESTORE, { slot: 0, id }],
    ] as const) {
      expect(await ask(path, { model: 'nobody', ...body })).toEqual(refusal(400, 'model configuration not found'))
      expect(await ask(path, body)).toEqual(refusal(400, 'model is required'))
    }
  })

  // verifies slots:error:no-path
  it('is 400 for a model without slot_save_path, or with one that leads out, which is not loaded for it', async () => {
    await server.model('unset')
    await server.model('out', {}, { slot_save_path: '../out' })
    for (const [model, message] of [
      ['unset', 'model "unset" has no slot_save_path, so its slots cannot be saved'],
      ['out', expect.stringContaining('it must be a folder below the models folder')],
    ] as const) {
      const wanted = refusal(400, message, { param: 'model' })
      expect(await ask(SAVE, { model, slot: 0 })).toEqual(wanted)
      expect(await ask(RESTORE, { model, slot: 0, id })).toEqual(wanted)
      expect(server.records(model)).toEqual([])
    }
  })

  it('is 403 without an admin', async () => {
    expect((await server.post(SAVE, { model: 'm', slot: 0 }, { authorization: 'Bearer ada' })).status).toBe(403)
    expect((await server.post(RESTORE, { model: 'm', slot: 0, id })).status).toBe(401)
  })
})

describe('an id', () => {
  // verifies slots:error:unknown-id
  it('that is unknown, or of another model, is 404', async () => {
    const { id } = await save('other')
    const wanted = refusal(404, 'no state of this model is saved under this id', { param: 'id' })
    expect(await ask(RESTORE, { model: 'm', slot: 0, id })).toEqual(wanted)
    expect(await ask(RESTORE, { model: 'm', slot: 0, id: '0'.repeat(32) })).toEqual(wanted)
    expect((await ask(RESTORE, { model: 'other', slot: 0, id }))[0]).toBe(200)
  })

  // verifies errors:status:precondition
  it('of a state that no longer matches its record is 412', async () => {
    const { id } = await save('m')
    const file = join(server.modelsPath, 'slots', 'm', id, `${id}.slot`)
    const content = await readFile(file)
    await writeFile(file, content.toString().replace(/\d/, '9'))
    const refused = async (reason: string): Promise<void> => {
      const before = server.records('m').length
      const wanted = refusal(412, `the saved state does not match its record: ${reason}`, { param: 'id' })
      expect(await ask(RESTORE, { model: 'm', slot: 0, id })).toEqual(wanted)
      expect(
        server
          .records('m')
          .slice(before)
          .filter(({ rpc }) => rpc === 'RestoreSlot'),
      ).toEqual([])
    }
    await refused('its file has other content')
    await truncate(file, 3)
    await refused('its file has another size')
    await rm(file)
    await refused('its file is gone')
    await writeFile(file, content)
    expect((await ask(RESTORE, { model: 'm', slot: 0, id }))[0]).toBe(200)
  })
})

describe('a state saved after the weights were replaced', () => {
  it('belongs to those in memory: it is not read for the new ones', async () => {
    await server.writeModelFile('w.bin', 'old')
    await server.model('weighed', {}, { ...KEYS, parameters: { model: 'w.bin' } })
    const { id: first } = await save('weighed')
    await server.writeModelFile('w.bin', 'new weights')
    const { id: second } = await save('weighed')
    const wanted = refusal(412, 'the saved state does not match its record: the weights of the model have changed', {
      param: 'id',
    })
    for (const id of [first, second]) {
      expect(await ask(RESTORE, { model: 'weighed', slot: 0, id })).toEqual(wanted)
    }
  })
})

describe('a backend', () => {
  // verifies slots:error:disabled, errors:status:precondition
  it('with saving turned off is 412', async () => {
    expect(await ask(SAVE, { model: 'off', slot: 0 })).toEqual(refusal(412, 'slot save/restore is disabled'))
    expect(await listStates('off')).toEqual([])
  })

  // verifies slots:error:unsupported
  it('that cannot save or restore slots is 501', async () => {
    await writeSavedState(server.modelsPath, 'none')
    const wanted = refusal(501, 'the backend of this model cannot save and restore slots')
    expect(await ask(SAVE, { model: 'none', slot: 0 })).toEqual(wanted)
    expect(await ask(RESTORE, { model: 'none', slot: 0, id: SAVED_ID })).toEqual(wanted)
    expect(await listStates('none')).toEqual([SAVED_ID])
  })

  // verifies slots:error:too-large, limits:slots:size
  it('whose state has more than 8589934592 bytes is 507, and the state is deleted', async () => {
    const message = 'the state of the slot has more than 8589934592 bytes and was deleted'
    expect(await ask(SAVE, { model: 'large', slot: 0 })).toEqual(refusal(507, message))
    const sent = server.records('large').find(({ rpc, event }) => rpc === 'SaveSlot' && event === 'start')
    expect(sent?.request).toMatchObject({ maxBytes: '8589934592' })
    expect(await listStates('large')).toEqual([])
  })
})

// verifies slots:saved:left
it('a save whose client leaves leaves nothing', async () => {
  const leaving = new AbortController()
  const left = fetch(`${server.url}${SAVE}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...ROOT },
    body: JSON.stringify({ model: 'slow', slot: 0 }),
    signal: leaving.signal,
  }).catch(() => 'left')
  const hasRecord = (event: string): boolean =>
    server.records('slow').some((record) => record.rpc === 'SaveSlot' && record.event === event)
  await eventually(() => expect(hasRecord('start')).toBe(true))
  expect(await listStates('slow')).toEqual([expect.stringMatching(/^\.saving-/)])
  leaving.abort()
  expect(await left).toBe('left')
  await eventually(async () => expect(await listStates('slow')).toEqual([]))
  await eventually(() => expect(hasRecord('cancel')).toBe(true))
})
