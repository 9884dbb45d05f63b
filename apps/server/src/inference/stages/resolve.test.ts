import { SvcError } from '@svc/errors'
import { parseJson } from '@svc/json'
import { describe, expect, it } from 'vitest'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import type { ReadRequest } from '../core/pipeline.ts'
import type { RequestRoute } from '../core/ports.ts'
import { JsonBody } from '../documents/request-document.ts'
import { createResolve } from './resolve.ts'

const NO_MODELS = {
  resolve: () => undefined,
  findName: (name: string): string | undefined => name,
  findDefault: () => undefined,
  findFault: () => undefined,
}

/** Creates a request with a body, as the stage reads it. */
function ask(body: object, route: Partial<RequestRoute> = {}, addressedModel?: string): ReadRequest {
  const context = { route: { path: '/x', family: 'compatible', ...route }, principal: { models: undefined } }
  return {
    context,
    format: {},
    document: new JsonBody(parseJson(Buffer.from(JSON.stringify(body)))),
    addressedModel,
  } as unknown as ReadRequest
}

/** Gives the error with which the stage refuses a request when there are no models. */
function refusal(request: ReadRequest): unknown {
  try {
    createResolve(NO_MODELS)(request)
  } catch (error) {
    if (!SvcError.is(error)) throw error
    const { kind, code, message, details } = error
    return { kind, code, message, details }
  }
  throw new Error('the stage resolved a model')
}

describe('an unknown name', () => {
  it('is not found', () => {
    expect(refusal(ask({ model: 'nobody' }))).toMatchObject({
      kind: 'not_found',
      code: 'model_not_found',
      message: expect.stringContaining('"nobody" not found'),
      details: { param: 'model' },
    })
  })

  it('is a mistake in the request where the route says so', () => {
    const request = ask({ model: 'nobody' }, { family: 'messages', unknownModel: 'invalid_request' })
    expect(refusal(request)).toEqual({
      kind: 'invalid_request',
      code: 'model_not_found',
      message: 'model configuration not found',
      details: { param: 'model' },
    })
  })
})

describe('no name', () => {
  it('is refused when the route needs one, even with models', () => {
    const directory = { ...NO_MODELS, findDefault: () => ({ name: 'm', model: createModel({ name: 'm' }) }) }
    const request = ask({}, { modelRequired: true, usecase: 'chat' })
    expect(() => createResolve(directory)(request)).toThrow('model is required')
  })

  it('is the default of the route elsewhere', () => {
    const model = createModel({ name: 'm' })
    const directory = {
      ...NO_MODELS,
      findDefault: (usecase: string) => (usecase === 'chat' ? { name: 'm', model } : undefined),
    }
    expect(createResolve(directory)(ask({}, { usecase: 'chat' }))).toEqual({
      requestedModel: 'm',
      replyModel: 'm',
      model,
      through: [],
    })
  })

  it('is an alias where the default is one, with the access of the alias', () => {
    const model = createModel({ name: 'm' })
    const directory = { ...NO_MODELS, findDefault: () => ({ name: 'short', model }), findName: (name: string) => name }
    expect(createResolve(directory)(ask({}, { usecase: 'chat' }))).toEqual({
      requestedModel: 'short',
      replyModel: 'short',
      model,
      through: ['short'],
    })
  })
})

describe('two names', () => {
  it.each([
    [{ model: 'body' }, 'body'],
    [{ model: '' }, 'address'],
    [{ model: null, model_id: 'id' }, 'id'],
    [{}, 'address'],
  ])('%j before the name of the address: %s', (body, expected) => {
    const directory = { ...NO_MODELS, resolve: (name: string) => createModel({ name }) }
    expect(createResolve(directory)(ask(body, {}, 'address')).requestedModel).toBe(expected)
  })
})

it('a format may name the model with the names whose rights suffice, and with the policy that holds', () => {
  const [model, pipeline] = [createModel({ name: 'heard' }), createModel({ name: 'talk' })]
  const found = { name: 'talk', model, through: ['talk', 'alias'], filteredAs: pipeline }
  const request = { ...ask({}), format: { findModel: () => found } } as unknown as ReadRequest
  expect(createResolve(NO_MODELS)(request)).toEqual({
    requestedModel: 'talk',
    replyModel: 'talk',
    model,
    through: ['talk', 'alias'],
    filteredAs: pipeline,
  })
})
