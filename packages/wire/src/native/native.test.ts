import { describe, expect, it } from 'vitest'
import { compatibleErrorReply } from '../openai/error.ts'
import { modelCapabilitiesList, modelList } from '../openai/models.ts'
import { parseBody } from '../parse-body.ts'
import { loadedModel, systemReply } from './system.ts'

const process = { pid: 7, rss_bytes: 1024, memory_percent: 0.5, started_at: '2026-01-02T03:04:05Z' }

const catchParam = (run: () => unknown): unknown => {
  try {
    run()
  } catch (error) {
    if (error instanceof Error && 'details' in error) return Reflect.get(Object(error.details), 'param')
  }
  return undefined
}

describe('loadedModel', () => {
  it.each([
    { id: 'a' },
    { id: 'a', backend: 'llama', process, size_vram: 0 },
    { id: 'a', process: { ...process, cpu_percent: 100, started_at: '2026-01-02T03:04:05.678+02:00' } },
  ])('takes %j', (body) => {
    expect(parseBody(loadedModel, body)).toEqual(body)
  })

  it.each([
    ['process.cpu_percent', { id: 'a', process: { ...process, cpu_percent: 101 } }],
    ['process.started_at', { id: 'a', process: { ...process, started_at: 'yesterday' } }],
    ['size_vram', { id: 'a', size_vram: null }],
    ['backend', { id: 'a', backend: undefined }],
  ])('refuses a wrong %s: a field that is unknown is left out', (param, body) => {
    expect(catchParam(() => parseBody(loadedModel, body))).toBe(param)
  })
})

describe('lists', () => {
  it('are never null', () => {
    expect(parseBody(systemReply, { backends: [], loaded_models: [] })).toEqual({ backends: [], loaded_models: [] })
    expect(catchParam(() => parseBody(systemReply, { backends: [], loaded_models: null }))).toBe('loaded_models')
    expect(catchParam(() => parseBody(modelList, { object: 'list', data: null }))).toBe('data')
  })
})

describe('models', () => {
  const model = { id: 'demo', object: 'model', created: 0, owned_by: 'svc' }

  it('require the fields that official clients type as required', () => {
    expect(parseBody(modelList, { object: 'list', data: [model] }).data[0]?.id).toBe('demo')
    const { owned_by: _, ...short } = model
    expect(catchParam(() => parseBody(modelList, { object: 'list', data: [short] }))).toBe('data[0].owned_by')
  })

  it('may state their capabilities', () => {
    const able = { ...model, capabilities: ['chat', 'tools'], input_modalities: ['text'], output_modalities: ['text'] }
    expect(parseBody(modelCapabilitiesList, { object: 'list', data: [able] }).data[0]).toEqual(able)
    const smelling = { ...able, input_modalities: ['smell'] }
    expect(catchParam(() => parseBody(modelCapabilitiesList, { object: 'list', data: [smelling] }))).toBe(
      'data[0].input_modalities[0]',
    )
  })
})

describe('compatibleErrorReply', () => {
  it.each([404, 'model_not_found'])('takes code %j', (code) => {
    const body = { error: { code, message: 'no', type: '', param: null } }
    expect(parseBody(compatibleErrorReply, body)).toEqual(body)
  })

  it('always has all four keys', () => {
    expect(catchParam(() => parseBody(compatibleErrorReply, { error: { code: 1, message: '', type: '' } }))).toBe(
      'error.param',
    )
  })
})
