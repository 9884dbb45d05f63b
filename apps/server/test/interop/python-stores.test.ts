import { describe, expect, it } from 'vitest'
import { findPython, titled } from './python.ts'
import { isRunning, startInteropServer } from './world.ts'

const python = findPython()
const path = python.missing === undefined ? python.path : ''

const STORE = { known_usecases: ['stores'], parameters: {}, template: {} }

interface Answer {
  readonly status: number
  readonly body: unknown
}

describe.skipIf(python.missing)(titled('a Python backend as a vector store', python), () => {
  // verifies inference:stores:backend
  it('answers as the store of the server does', async () => {
    await using server = await startInteropServer(path)
    await server.words('pictures', [], STORE)
    const ask = async (call: string, store: string, body: object): Promise<Answer> => {
      const { status, text } = await server.post(`/stores/${call}`, { store, ...body })
      const parsed = text === '' ? '' : JSON.parse(text)
      return { status, body: status === 200 ? parsed : (parsed as { error: { param: string } }).error.param }
    }
    const keys = [
      [0.25, 1, 0],
      [1, 0.1, -3],
      [0, 0, 0],
      [-1, 2.5, 7],
    ]
    const both = async (call: string, body: object): Promise<Answer> => {
      const [theirs, ours] = [await ask(call, 'pictures', body), await ask(call, 'own', body)]
      expect(theirs, `${call} ${JSON.stringify(body)}`).toEqual(ours)
      return ours
    }
    await both('get', { keys: [[1, 2, 3]] })
    await both('set', { keys, values: ['a', 'Gr\u00fc\u00dfe', '', '\ud83d\ude00'] })
    await both('set', { keys: keys.slice(0, 1), values: ['replaced'] })
    expect((await both('get', { keys: keys.slice(0, 1) })).body).toEqual({ keys: [keys[0]], values: ['replaced'] })
    expect((await both('set', { keys: [[1, 2]], values: ['short'] })).body).toBe('keys')
    expect((await both('find', { key: [1, 2], topk: 1 })).body).toBe('key')
    await both('find', { key: [0.5, 2, 0], topk: 1 })
    await both('delete', { keys: [keys[1], [9, 9, 9]] })
    await both('get', { keys: [keys[1]] })
    const found = await ask('find', 'pictures', { key: [0.5, 2, 0.5], topk: 10 })
    expect(found.body).toMatchObject({ values: ['replaced', '\ud83d\ude00', ''] })
  })

  it('is loaded as a store of its name, once, and ends like any other model', async () => {
    await using server = await startInteropServer(path)
    await server.words('pictures', [], STORE)
    for (let turn = 0; turn < 3; turn++) {
      const body = { store: 'pictures', backend: 'reverse-words', keys: [[turn, 1]], values: ['a'] }
      expect((await server.post('/stores/set', body)).status).toBe(200)
    }
    expect((await server.post('/backend/shutdown', { model: 'pictures' })).status).toBe(200)
    const records = await server.recorded('pictures')
    expect(records.map(({ rpc, signal }) => rpc ?? signal)).toEqual([
      'LoadModel',
      'StoresSet',
      'StoresSet',
      'StoresSet',
      'Free',
      'TERM',
    ])
    expect(records[0]).toMatchObject({ model: 'store://pictures', file: '' })
    expect(await isRunning(records[0]?.pid ?? 0)).toBe(false)
  })

  it.each([
    ['StoresSet', 'set', { keys: [[1]], values: ['a'] }],
    ['StoresGet', 'get', { keys: [[1]] }],
    ['StoresDelete', 'delete', { keys: [[1]] }],
    ['StoresFind', 'find', { key: [1], topk: 1 }],
  ])('is a 501 where %s is not there', async (rpc, call, body) => {
    await using server = await startInteropServer(path)
    await server.words('pictures', [`without:${rpc}`], STORE)
    expect((await server.post(`/stores/${call}`, { store: 'pictures', ...body })).status).toBe(501)
  })
})
